"""Between herald and its emulator: passes on bytes both ways, and keeps every request as it left herald."""

import asyncio
import threading


class Relay:
    """A running relay on a port that the system gave."""

    def __init__(self, authority):
        host, _, port = authority.rpartition(":")
        self._target = (host, int(port))
        self._streams = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._server = self._call(asyncio.start_server(self._connected, "127.0.0.1", 0))
        self.authority = "127.0.0.1:%d" % self._server.sockets[0].getsockname()[1]

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout=30)

    async def _connected(self, reader, writer):
        kept = bytearray()
        self._streams.append(kept)
        beyond, towards = await asyncio.open_connection(*self._target)
        await asyncio.gather(
            self._pass(reader, towards, kept), self._pass(beyond, writer, None), return_exceptions=True
        )

    @staticmethod
    async def _pass(reader, writer, kept):
        try:
            while block := await reader.read(1 << 16):
                if kept is not None:
                    kept += block
                writer.write(block)
                await writer.drain()
        finally:
            writer.close()

    def take(self):
        """The requests so far, which are then forgotten: for each its method, path and body."""
        streams, self._streams = self._streams, []
        return [request for stream in streams for request in requests(bytes(stream))]

    def stop(self):
        async def end():
            self._server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        self._call(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def requests(stream):
    """The requests of one connection (HTTP/1.1)."""
    while stream:
        head, _, stream = stream.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while (size := int(stream.partition(b"\r\n")[0].partition(b";")[0], 16)) > 0:
                stream = stream.partition(b"\r\n")[2]
                body, stream = body + stream[:size], stream[size + 2 :]
            stream = stream.partition(b"\r\n\r\n")[2]
        else:
            size = int(headers.get("content-length", "0"))
            body, stream = stream[:size], stream[size:]
        method, path, _ = first.split(" ")
        yield method, path, body
