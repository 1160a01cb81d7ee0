"""A headless Chromium, driven by Selenium."""

import json
import os
import shutil

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

# In seconds. A busy machine does not reach it.
DEADLINE = 120
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def installed():
    """The paths of a Chromium and of its driver; None where one of them is missing. CHROMIUM names another browser."""
    named = os.environ.get("CHROMIUM")
    browser = shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Chromium:
    """A browser with a profile of its own, which ends with it."""

    def __init__(self, paths):
        # What is not installed is not fetched.
        os.environ["SE_OFFLINE"] = "true"
        options = webdriver.ChromeOptions()
        options.binary_location, driver = paths
        for argument in (
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            # Whatever it would look for elsewhere, it does not find.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(executable_path=driver))
        self.driver.set_script_timeout(DEADLINE)
        self.first = self.driver.current_window_handle

    def close(self):
        self.driver.quit()


class Page:
    """One tab: what it shows, what it asks for, what it complains of."""

    def __init__(self, browser, width=1280, height=900):
        self._browser, self._driver = browser, browser.driver
        self._driver.switch_to.new_window("tab")
        self._complaints, self._addresses = [], []
        for kind in ("browser", "performance"):
            self._driver.get_log(kind)
        self.resize(width, height)

    @property
    def complaints(self):
        """What the console says, be it only a remark."""
        self._complaints += self._driver.get_log("browser")
        return self._complaints

    @property
    def addresses(self):
        for entry in self._driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                self._addresses.append(event["params"]["request"]["url"])
        return self._addresses

    def call(self, method, **params):
        """What WebDriver has no word for, in DevTools' own."""
        return self._driver.execute_cdp_cmd(method, params)

    def resize(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, url):
        self._driver.get(url)

    def value(self, expression):
        """What an expression gives, or what the promise that it gives does; an element as one that can be used."""
        return self._driver.execute_script(f"return ({expression})")

    def until(self, expression, deadline=DEADLINE / 2):
        """Waits until an expression gives something true, and gives that."""
        wait = WebDriverWait(self._driver, deadline, 0.02, [JavascriptException])
        return wait.until(lambda _: self.value(expression), f"it never came: {expression}")

    def click(self, expression):
        """Clicks into the middle of an element once nothing moves it or lies over it."""
        def attempt(_):
            self.value(expression).click()
            return True

        WebDriverWait(self._driver, DEADLINE / 2, 0.05, [WebDriverException, AttributeError]).until(
            attempt, f"it cannot be clicked: {expression}")

    def press(self, keys):
        ActionChains(self._driver, duration=0).send_keys(keys).perform()

    def choose(self, expression, value):
        """Chooses from a list of options."""
        Select(self.until(expression)).select_by_value(value)

    def picture(self):
        """A PNG, in base64, of the whole page."""
        return self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]

    def names(self, *roles):
        """The names of everything that assistive technology finds under these roles."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        found = [each for each in nodes if not each["ignored"] and each["role"].get("value") in roles]
        return [each.get("name", {}).get("value", "") for each in found]

    def close(self):
        self._driver.close()
        self._driver.switch_to.window(self._browser.first)
