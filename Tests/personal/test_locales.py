"""The table of how languages write numbers and dates, and what its Swift test expects, are what Babel says."""

import importlib.util
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def script():
    """Scripts/make-locales.py as a module."""
    spec = importlib.util.spec_from_file_location("make_locales", ROOT / "Scripts" / "make-locales.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class LocaleTests(unittest.TestCase):
    maxDiff = 2000

    def test_the_files_are_what_the_script_writes(self):
        for path, text in script().files().items():
            with self.subTest(path.name):
                self.assertEqual(path.read_text(encoding="utf-8"), text)

    def test_no_locale_is_missing(self):
        styles, found = script().tables()
        tags = {name for names in styles.values() for name in names}
        for name in ["de-AT", "de-CH", "en-GB", "en-IN", "es-MX", "es-419", "fr-CA", "pt-PT", "it-CH", "zh-Hant"]:
            self.assertTrue(name in tags, name)
        self.assertGreater(len({name.partition("-")[0] for name in tags}), 40)
        # Every locale of CLDR in these languages is in the table itself, or written as its language is.
        make = script()
        for name, locale in found.items():
            if name not in tags:
                base = next(base for base in (name.rpartition("-")[0], name.partition("-")[0]) if base in tags)
                self.assertEqual(make.style(locale), make.style(found[base]), name)


if __name__ == "__main__":
    unittest.main()
