// SPDX-License-Identifier: Apache-2.0
// `warpfold study report`, from a small study to the page in a browser.
// node test_report.mjs WARPFOLD FOLDER (for results; emptied first) LIBRARIES
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import test, {after, before} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {Browser} from './browser.mjs';

const [warpfold, folder, libraries] = process.argv.slice(2).map((name) => path.resolve(name));
const OTHER = 'other-machine-under-a-name-that-is-longer-than-a-phone-is-wide';
const TITLE = 'Both <b>of</b> "them" & </script>';

const STUDY = `
title: '${TITLE}'
question: Does regrouping pay on two machines?
paper: TBC
baseline: {mechanism: pdom, simd: none}
size: small
points:
  - {part: main, machine: tbc2011, mechanism: [pdom, tbc], simd: [none, scc], workload: [bfs, lps], seeds: 2}
  - {part: '${OTHER}', machine: gt200, mechanism: [pdom, tbc], simd: none, workload: bfs}
  - {part: wrong, machine: tbc2011, mechanism: dwf, simd: none, workload: nvrt}
  - {part: never, machine: tbc2011, mechanism: lwm, simd: none, workload: bfs, set: {mechanism.large_warp: 24}}
figures:
  - name: page_speedup
    title: Speed-up
    where: TBC Fig. 11
    notes: Other programs than the paper's.
    sql: SELECT workload, variant, speedup, low, high FROM v WHERE part = 'main'
    chart: {kind: bars, x: workload, y: speedup, colour: variant, low: low, high: high, format: .3f, reference: 1}
    printed: [{workload: bfs, variant: tbc, value: 1.22, where: "§6"}, {workload: MUM, variant: tbc, value: 1.4}]
  - name: page_lines
    title: Cycles by seed
    sql: SELECT seed, variant, workload, avg(cycles) AS cycles FROM r WHERE part = 'main' GROUP BY 1, 2, 3
    chart: {kind: lines, x: seed, y: cycles, colour: variant, facet: workload, format: s}
  - name: page_parts
    title: Where slots go
    sql: |
      SELECT workload, 'idle' AS cause, avg(1.0 * w0_idle / cycles / schedulers) AS share FROM r GROUP BY 1
      UNION ALL SELECT workload, 'rest', 1 - avg(1.0 * w0_idle / cycles / schedulers) FROM r GROUP BY 1
    chart: {kind: stacked, x: workload, y: share, colour: cause, format: .0%}
  - name: page_points
    title: Divergence and gain
    sql: SELECT workload, variant, avg(simd_efficiency) AS efficiency, avg(speedup) AS speedup FROM s GROUP BY 1, 2
    chart: {kind: points, x: efficiency, y: speedup, colour: variant, label: workload, format: .2f}
  - name: page_heat
    title: All of them
    sql: SELECT workload, variant, speedup FROM v WHERE part = 'main'
    chart: {kind: heatmap, x: workload, y: variant, value: speedup, format: .2f, reference: 1}
  - name: page_table
    title: Stacks
    sql: SELECT workload, max(max_stack_entries) AS entries, 1 AS "<img src=x onerror='window.marked=1'>" FROM r GROUP BY 1
    chart: {kind: table}
`;
const CHARTS = [
  'page_speedup', 'page_lines', 'page_parts', 'page_points', 'page_heat', 'means', 'issue_slots',
  'blocks_over_time', 'slots_over_time', 'warps_over_time',
];

const run = (...words) => spawnSync(warpfold, words, {cwd: folder, encoding: 'utf8'});
function good(...words) {
  const {status, stdout, stderr} = run(...words);
  assert.equal(status, 0, `${words.join(' ')}: ${stderr}`);
  return stdout;
}
const view = (name) => JSON.parse(good('study', 'export', './page.yaml', '--view', name, '--json'));

// As docs/tracing.md has it: two cores, of which the second is done half way.
const TRACE = [
  [1, 0, 'blocks', {'core 0': 2, 'core 1': 2}],
  [1000, 0, 'issue slots', {issued: 50, memory: 50}],
  [1001, 0, 'issue slots', {issued: 50, idle: 50}],
  [1, 500, 'blocks', {'core 0': 2, 'core 1': 0}],
  [1, 1000, 'blocks', {'core 0': 0, 'core 1': 0}],
].map(([pid, ts, name, args]) => JSON.stringify({ph: 'C', pid, ts, name, args}));
const onWarp = {pid: 1000, tid: 1};
TRACE.push(
  ...[
    {ph: 'M', ...onWarp, ts: 0, name: 'thread_name', args: {name: 'warp slot 00'}},
    {ph: 'i', pid: 1, tid: 2, ts: 0, name: 'run', args: {warp_size: 32}},
    {ph: 'X', ...onWarp, ts: 0, dur: 100, name: 'add', cat: 'issue', args: {pc: 0, lanes: 32}},
    {ph: 'X', ...onWarp, ts: 100, dur: 300, name: 'memory', cat: 'wait', args: {pc: 1}},
  ].map((event) => JSON.stringify(event))
);

let browser, page;
before(async () => {
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(path.join(folder, 'out'), {recursive: true});
  for (const name of ['page.yaml', 'other.yaml']) writeFileSync(path.join(folder, name), STUDY);
  run('study', 'run', './page.yaml');
  const [traced] = view('result').filter((row) => row.variant === 'tbc');
  writeFileSync(path.join(folder, 'results', traced.directory, 'trace.json'), `[\n${TRACE.join(',\n')}\n]`);
  good('study', 'report', './page.yaml', '--svg', 'drawn', '--png', 'drawn', '--out', 'out/page.html');
  browser = await Browser.start();
  page = await browser.page();
  await page.size(1280);
  await page.media({'prefers-color-scheme': 'light', 'prefers-reduced-motion': 'reduce'});
  await page.open(pathToFileURL(path.join(folder, 'out/page.html')).href);
  await page.value('report.drawAll()');
});
after(() => browser?.stop());

const card = (name) => `report.cards.find((card) => card.name === '${name}')`;

test('every figure has data: as many values as its view, and marks that are drawn', async () => {
  for (const name of CHARTS) {
    const drawn = await page.value(`${card(name)}.plot.querySelectorAll('svg path, svg rect, svg circle').length`);
    assert.ok(drawn > 8, `${name}: ${drawn} marks`);
    const label = await page.value(`${card(name)}.plot.getAttribute('aria-label')`);
    assert.ok(label.length > 30, `${name} says what it shows: ${label}`);
  }
  const shown = await page.value(
    `${card('page_speedup')}.chart.getOption().series.filter((one) => one.type === 'bar').flatMap((one) => one.data)`
  );
  const measured = view('page_speedup').map((row) => row.speedup);
  assert.equal(measured.length, 8);
  assert.deepEqual(shown.filter((value) => value !== null).sort(), measured.sort());
  const marks = await page.value(
    `${card('page_speedup')}.chart.getOption().series.find((one) => one.name === 'printed in the paper').data.length`
  );
  assert.equal(marks, 2);
});

test('names are text, whatever they look like', async () => {
  assert.equal(await page.value(`document.querySelector('h1').textContent`), TITLE);
  assert.equal(await page.value('document.title'), TITLE);
});

test('tables have the values of their views and the paper’s', async () => {
  await page.value(`document.querySelectorAll('details.data').forEach((one) => { one.open = true; })`);
  await page.value('new Promise((done) => setTimeout(done, 300))');
  const rows = await page.value(`${card('page_speedup')}.table.getData()`);
  assert.equal(rows.length, 9, 'eight of ours and a workload that only the paper has');
  assert.equal(rows.find((row) => row.workload === 'bfs' && row.variant === 'tbc')['paper value'], 1.22);
  assert.ok(await page.value(`document.querySelector('#figure-page_table .tabulator-row') !== null`));
});

test('what the difference went to sums to the difference', async () => {
  const texts = (of) => page.value(`[...document.querySelectorAll('#figure-slot_causes ${of}')].map((one) => one.textContent)`);
  const titles = await texts('.tabulator-col-title');
  assert.ok(titles.includes('memory'), titles.join());
  const cells = await texts('.tabulator-cell');
  const rows = Array.from({length: cells.length / titles.length}, (_, i) => cells.slice(i * titles.length));
  const [of] = view('verdict').filter((row) => row.part === OTHER && row.variant === 'tbc');
  const ours = rows.find((row) => row[titles.indexOf('part')] === OTHER);
  const all = parseFloat(ours[titles.indexOf('in all')]) / 100;
  assert.ok(Math.abs(all - (1 / of.speedup - 1)) < 0.00051, `${all} ${of.speedup}`);
});

test('a column’s name is text', async () => {
  const titles = await page.value(
    `[...document.querySelectorAll('#figure-page_table .tabulator-col-title')].map((one) => one.textContent)`
  );
  assert.ok(titles.includes(`<img src=x onerror='window.marked=1'>`), titles.join());
  assert.equal(await page.value(`document.querySelectorAll('#figure-page_table img').length + (window.marked || 0)`), 0);
});

test('filters', async () => {
  const choose = (name, value) =>
    page.value(`(() => {
      const field = document.querySelector('.filters [name="${name}"]');
      field.type === 'checkbox' ? field.click() : (field.value = '${value}');
      field.dispatchEvent(new Event(field.type === 'search' ? 'input' : 'change'));
    })()`);
  const rows = (condition) => page.value(`report.pointsTable.getData('active').filter((row) => ${condition}).length`);
  const all = view('result');
  assert.equal(await rows('true'), all.length);
  await choose('variant', 'tbc');
  assert.equal(await rows('true'), all.filter((row) => row.variant === 'tbc').length);
  assert.equal(await rows(`row.variant !== 'tbc'`), 0);
  await choose('words', 'gt200 BFS');
  assert.equal(await rows('true'), 1);
  assert.match(await page.value(`document.querySelector('.shown').textContent`), /^1 point of /);
  await page.value(`document.querySelector('.filters [type="reset"]').click()`);
  assert.equal(await rows('true'), all.length);
  await choose('state', 'failed');
  assert.equal(await rows('true'), all.filter((row) => row.state === 'failed').length);
  assert.ok((await rows('true')) > 0, 'a point of this study fails');
  await page.value(`document.querySelector('.filters [type="reset"]').click()`);
  await choose('caution');
  const cautious = all.filter((row) => row.caution !== null).length;
  assert.ok(cautious > 0, 'small runs are flagged');
  assert.equal(await rows('true'), cautious);
  await page.value(`document.querySelector('.filters [type="reset"]').click()`);
});

test('sorting, by hand and by keyboard', async () => {
  const head = `document.querySelector('#points .tabulator-col[tabulator-field="cycles"]')`;
  const cycles = () =>
    page.value(`report.pointsTable.getData('active').map((row) => row.cycles).filter((n) => n !== null)`);
  await page.value(`${head}.querySelector('.tabulator-col-content').click()`);
  const up = await cycles();
  assert.deepEqual(
    up,
    [...up].sort((a, b) => a - b)
  );
  await page.value(`${head}.focus()`);
  await page.key('Enter');
  assert.deepEqual(await cycles(), up.toReversed?.() ?? [...up].reverse());
  assert.equal(await page.value(`${head}.getAttribute('aria-sort')`), 'descending');
});

test('links of a point lead to its files', async () => {
  const links = await page.value(`[...document.querySelectorAll('#points .links a')].map((link) => link.href)`);
  assert.ok(links.length >= 10);
  for (const link of links) assert.ok(existsSync(fileURLToPath(link)), link);
});

test('points without a result stand there with their reasons', async () => {
  const text = await page.value(`document.querySelector('#troubles').textContent`);
  assert.match(text, /failed.*nvrt dwf/);
  assert.match(text, /large_warp = 24 threads is no multiple/);
  assert.match(
    await page.value(`document.querySelector('.progress-bar').getAttribute('aria-label')`),
    /1 failed.*1 not applicable/
  );
});

test('cores over time', async () => {
  assert.deepEqual(await page.value(`report.data.timelines.map((one) => one.slots.length)`), [2]);
  assert.ok(await page.value(`${card('blocks_over_time')}.plot.querySelectorAll('svg path, svg rect').length > 100`));
  assert.match(await page.value(`${card('slots_over_time')}.plot.getAttribute('aria-label')`), /waits for memory 25 %/);
});

test('warps over time: a window of cycles, by its ends and by buttons', async () => {
  const label = () => page.value(`${card('warps_over_time')}.plot.getAttribute('aria-label')`);
  const ends = () => page.value(`[...document.querySelectorAll('.window input')].map((one) => one.value)`);
  const press = (word) =>
    page.value(`[...document.querySelectorAll('.window button')].find((one) => one.textContent === '${word}').click()`);
  assert.match(await label(), /1 warp slots of core 0 do in cycles 0 to 1,000; .*half its lanes 25 %, waits for memory 75 %/);
  await page.value(`(() => {
    const end = document.querySelectorAll('.window input')[1];
    end.value = '200';
    end.dispatchEvent(new Event('change'));
  })()`);
  assert.match(await label(), /cycles 0 to 200; .*half its lanes 50 %, waits for memory 50 %/);
  for (const [word, window] of [
    ['Later', ['100', '300']],
    ['Closer', ['150', '250']],
    ['Earlier', ['100', '200']],
    ['Wider', ['50', '250']],
    ['All', ['0', '1000']],
  ]) {
    await press(word);
    assert.deepEqual(await ends(), window, word);
  }
  const rows = await page.value(`${card('warps_over_time')}.table.getData()`);
  assert.deepEqual(rows.map(({row, s0, s2}) => [row, s0, s2]), [['warp slot 00', 10, 30]]);
});

test('machines: their boxes, and only values that differ', async () => {
  assert.match(await page.value(`${card('machine')}.plot.getAttribute('aria-label')`), /dispatcher to core/);
  const settings = await page.value(`report.machineDifferences(report.data).map((one) => one.path)`);
  assert.ok(settings.includes('core.alu_latency_cycles') && !settings.includes('cores'), settings.join(' '));
});

test('accessible: names, roles, and contrast in both colours', async () => {
  const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'];
  for (const [theme, only] of [
    ['light', {type: 'tag', values: rules}],
    ['dark', {type: 'rule', values: ['color-contrast']}],
  ]) {
    await page.value(`document.querySelector('.segments [value="${theme}"]').click()`);
    const found = await page.axe(libraries, {resultTypes: ['violations'], runOnly: only});
    assert.deepEqual(found.violations, [], theme);
    assert.ok(found.passes > 0, 'something was looked at');
  }
});

test('dark and light: as the system, and as chosen', async () => {
  const drawn = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))';
  const now = () =>
    page.value(
      `${drawn}.then(() => document.documentElement.dataset.theme + getComputedStyle(document.body).backgroundColor)`
    );
  const pick = (value) => page.value(`document.querySelector('.segments [value="${value}"]').click()`);
  // A browser on a busy machine takes its time to tell the page of another system; what never comes fails below.
  const becomes = (theme) =>
    page.value(`new Promise((done) => {
      const look = (left) =>
        document.documentElement.dataset.theme === '${theme}' || left === 0 ? done() : setTimeout(look, 50, left - 1);
      look(200);
    })`);
  await pick('auto');
  await becomes('light');
  const light = await now();
  await page.media({'prefers-color-scheme': 'dark', 'prefers-reduced-motion': 'reduce'});
  await becomes('dark');
  const dark = await now();
  assert.ok(
    light.startsWith('light') && dark.startsWith('dark') && light.slice(5) !== dark.slice(4),
    `${light} ${dark}`
  );
  const ink = () => page.value(`${card('page_speedup')}.chart.getOption().legend[0].textStyle.color`);
  assert.equal(await ink(), await page.value('report.themes.dark.text'));
  await pick('light');
  assert.equal(await now(), light);
  assert.equal(await ink(), await page.value('report.themes.light.text'));
});

test('nothing is wider than a phone', async () => {
  await page.size(390, 844, true);
  await page.value('new Promise((done) => setTimeout(done, 400))');
  assert.equal(await page.value('document.documentElement.scrollWidth'), 390);
  assert.ok(
    await page.value(`${card('machine')}.box.getAttribute('tabindex') === '0'`),
    'what is wider scrolls by itself'
  );
  await page.size(1280);
});

// The width is that of A4 within its margins, which are 12 mm.
test('on paper: all charts in light colours, nothing cut, and nothing that only a screen can do', async () => {
  await page.value(`document.querySelector('.segments [value="dark"]').click()`);
  await page.value(`report.cards.forEach(({element}) => element.querySelector('details.data')?.removeAttribute('open'))`);
  await page.send('Emulation.setEmulatedMedia', {media: 'print'});
  await page.size(703, 1032);
  await page.value(`dispatchEvent(new Event('beforeprint'))`);
  assert.equal(await page.value('document.documentElement.dataset.theme'), 'light');
  const [wide, undrawn, high, controls, rows] = await page.value(`[
    [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 704).length,
    report.cards.filter((one) => !one.plot.querySelector('svg')).map((one) => one.name),
    report.cards.filter((one) => one.element.getBoundingClientRect().height > 965).map((one) => one.name),
    [...document.querySelectorAll('button, input, summary, nav')].filter((one) => one.checkVisibility()).length,
    document.querySelectorAll('#figure-differences .tabulator-print-table tbody tr').length]`);
  assert.deepEqual([wide, undrawn, high, controls], [0, [], [], 0]);
  const all = await page.value('report.machineDifferences(report.data).length');
  assert.ok(all > 14, 'more than are in view on a screen');
  assert.equal(rows, all);
  await page.value(`dispatchEvent(new Event('afterprint'))`);
  await page.send('Emulation.setEmulatedMedia', {media: ''});
  await page.size(1280);
  assert.equal(await page.value('document.documentElement.dataset.theme'), 'dark');
  assert.equal(await page.value(`${card('means')}.plot.style.zoom + document.querySelectorAll('.tabulator-print-table').length`), '0');
  await page.value(`document.querySelector('.segments [value="light"]').click()`);
  const {data} = await page.send('Page.printToPDF', {printBackground: true});
  const pages = Buffer.from(data, 'base64').toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 4 && pages <= 20, `${pages} pages`);
});

test('the page says by what it was made', async () => {
  const {stdout} = run('--version');
  const foot = await page.value(`document.querySelector('footer').textContent`);
  assert.match(foot, /^Made by warpfold study report \.\/page\.yaml, warpfold [\d.]+, from page\.yaml\./);
  assert.ok(stdout.includes(/, warpfold ([\d.]+),/.exec(foot)[1]), `${stdout} ${foot}`);
});

test('no errors in the console, and no request but for the page', () => {
  assert.deepEqual(page.problems, []);
  assert.deepEqual(
    page.requests.filter((url) => !/^(data|blob):/.test(url)).map((url) => path.basename(url)),
    ['page.html']
  );
});

// Another page than the report, as wide as a phone.
async function onAPhone(name) {
  const own = await browser.page();
  await own.size(390, 844, true);
  await own.open(pathToFileURL(path.join(folder, name)).href);
  await own.value('report.drawAll()');
  assert.equal(await own.value('document.documentElement.scrollWidth'), 390);
  return own;
}
async function accessible(own) {
  assert.deepEqual((await own.axe(libraries)).violations, []);
  assert.deepEqual(own.problems, []);
}

test('a trace as a page of its own', async () => {
  writeFileSync(path.join(folder, 'trace.json'), `[\n${TRACE.join(',\n')}`);
  assert.equal(good('timeline', 'trace.json', '--svg', 'of_trace'), 'timeline.html\n3 figures as SVG in of_trace\n');
  assert.deepEqual(readdirSync(path.join(folder, 'of_trace')).sort(), ['blocks', 'slots', 'warps'].map((name) => `${name}_over_time.svg`));
  const own = await onAPhone('timeline.html');
  assert.deepEqual(await own.value(`[...document.querySelectorAll('h3')].map((one) => one.textContent)`), [
    'What warps do over time',
    'Blocks on each core over time',
    'What issue slots go to over time',
  ]);
  await accessible(own);
});

test('the page of a study that goes', async () => {
  assert.match(good('watch', 'results'), /^results\/watch\.html\nEnded; seen at /);
  const own = await onAPhone('results/watch.html');
  assert.match(await own.value('document.body.innerText'), /Ended; seen at /);
  await accessible(own);
});

test('figures as files', () => {
  const files = readdirSync(path.join(folder, 'drawn')).sort();
  assert.deepEqual(
    files,
    [...CHARTS].sort().flatMap((name) => [`${name}.png`, `${name}.svg`])
  );
  for (const name of files) {
    const bytes = readFileSync(path.join(folder, 'drawn', name));
    if (name.endsWith('.png')) assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
    else assert.match(bytes.toString(), /^<svg [^]*<path [^]*<\/svg>\s*$/);
  }
});

test('mistakes are one line', () => {
  for (const [words, complaint] of [
    [['./page.yaml', '--store', 'none'], /none.store\.sqlite: there is no such store/],
    [['./page.yaml', '--out', 'page.yaml/x.html'], /page\.yaml/],
    [['./page.yaml', '--svg', 'page.yaml'], /page\.yaml: cannot make this folder/],
    [['./other.yaml'], /nothing of study other is in this store/],
  ]) {
    const {status, stderr} = run('study', 'report', ...words);
    assert.notEqual(status, 0, words.join(' '));
    assert.match(stderr, complaint);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  }
});
