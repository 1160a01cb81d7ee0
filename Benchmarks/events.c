// What libyaml alone takes for a file: its events, counted and thrown away. Argument: the file.
#include <stdio.h>
#include <yaml.h>

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    yaml_parser_t parser;
    if (!file || !yaml_parser_initialize(&parser)) { fprintf(stderr, "events: cannot read the file\n"); return 1; }
    yaml_parser_set_input_file(&parser, file);
    size_t events = 0;
    for (int ended = 0; !ended; events++) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) { fprintf(stderr, "events: %s\n", parser.problem); return 1; }
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    printf("%zu\n", events);
    return 0;
}
