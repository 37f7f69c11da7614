#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site's tabs: what is said of a page that is in none, in two, or not there."""

import sys
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts" / "pages"))

import site_pages


class Tabs(unittest.TestCase):
    def said(self, pages, **tabs):
        with unittest.mock.patch.multiple(site_pages, pages=lambda: [ROOT / page for page in pages], TABS=tabs):
            return list(site_pages.misplaced())

    def test_every_page_has_its_tab(self):
        self.assertEqual(list(site_pages.misplaced()), [])
        self.assertEqual(list(site_pages.TABS), ["Tutorial", "How-to", "Reference", "Explanation"])

    def test_a_page_without_a_tab(self):
        self.assertEqual(self.said(["README.md", "docs/a.md", "docs/b.md"], One={"docs/a.md": "A"}, Two={}),
                         ["docs/b.md is in no tab of the site: give it a line in TABS of scripts/pages/site_pages.py, "
                          "under One, Two"])

    def test_entries_that_are_wrong(self):
        self.assertEqual(self.said(["README.md", "docs/a.md"], One={"docs/a.md": "A"}, Two={"docs/a.md": "A", "c.md": "C"}),
                         ["c.md is in TABS of scripts/pages/site_pages.py, and there is no such page",
                          "docs/a.md is in more than one tab of scripts/pages/site_pages.py"])


if __name__ == "__main__":
    unittest.main()
