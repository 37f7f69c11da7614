// SPDX-License-Identifier: Apache-2.0
// The site of all pages in a browser. node test_site.mjs SITE (a folder) LIBRARIES
import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import path from 'node:path';
import test, {after, before} from 'node:test';
import {pathToFileURL} from 'node:url';
import {Browser} from '../study/browser.mjs';

const [site, libraries] = process.argv.slice(2).map((name) => path.resolve(name));
const pages = ['index.html', 'CHANGELOG.html', 'configs/silicon/titan_v.csv.html', 'models/memory/dram/memory_port.h.html'].concat(
  readdirSync(path.join(site, 'docs'))
    .filter((name) => name.endsWith('.html'))
    .map((name) => path.join('docs', name))
);
const opened = async (page, name) => {
  page.problems.length = 0;
  await page.open(pathToFileURL(path.join(site, name)).href);
};

let browser, page;
before(async () => {
  browser = await Browser.start();
  page = await browser.page();
});
after(() => browser?.stop());

test('no page is wider than a phone, and none says an error', async () => {
  assert.ok(pages.length > 50, `${pages.length} pages`);
  await page.size(390, 844, true);
  for (const name of pages) {
    await opened(page, name);
    assert.equal(await page.value('document.documentElement.scrollWidth'), 390, name);
    assert.deepEqual(page.problems, [], name);
  }
});

test('accessible', async () => {
  await page.size(1400);
  const kinds = ['index', 'CHANGELOG', 'docs/embedding', 'docs/configuration', 'docs/gallery', 'configs/silicon/titan_v.csv'];
  for (const name of kinds) {
    for (const scheme of ['default', 'slate']) {
      await opened(page, `${name}.html`);
      await page.value(`document.body.dataset.mdColorScheme = '${scheme}'`);
      // The theme's colours fade, and it sees only then which code is wider than its box.
      await page.value('new Promise((done) => setTimeout(done, 600))');
      // The theme lets code that scrolls have the keyboard only where a pointer can hover, which a headless browser has not.
      const rules = {'scrollable-region-focusable': {enabled: false}};
      const found = await page.axe(libraries, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'], preload: false, rules});
      assert.deepEqual(found.violations, [], `${name}, ${scheme}`);
      assert.ok(found.passes > 0, 'something was looked at');
    }
  }
});
