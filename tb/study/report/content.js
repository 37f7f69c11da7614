// SPDX-License-Identifier: Apache-2.0
// What stands on the page, section by section.
(() => {
  const {report} = globalThis;
  const {h, unique} = report;
  const count = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
  const section = (id, short, title, lead, ...rest) => h('section', {id, 'data-short': short, 'aria-labelledby': `${id}-title`}, h('h2', {id: `${id}-title`}, title), lead && h('p.lead', lead), rest);
  const chip = (text, kind) => h(`span.chip${kind ? `.${kind}` : ''}`, text);

  function overview(data, rows) {
    const states = {ok: 0, failed: 0, missing: 0, 'n/a': 0};
    for (const row of rows) states[row.state in states ? row.state : 'failed'] += 1;
    const cautions = rows.filter((row) => row.state === 'ok' && row.caution).length;
    const tile = (value, label, kind) => h(`div.tile${kind && value > 0 ? `.${kind}` : ''}`, h('dt', label), h('dd', value.toLocaleString('en')));
    const various = (field) => unique(rows.map((row) => row[field]).filter((value) => value !== null && value !== '')).length;
    const words = {ok: ['ok', 'with a result'], failed: ['bad', 'failed'], missing: ['missing', 'missing'], 'n/a': ['na', 'not applicable']};
    const there = Object.entries(states).filter(([, n]) => n > 0);
    const seeds = various('seed');
    return h('section', {id: 'overview', 'data-short': 'Overview', 'aria-label': 'Overview'}, h('div.hero',
      h('div.eyebrow', chip('study', 'accent'), data.paper && chip(`paper: ${data.paper}`), chip(`baseline: ${data.baseline}`), data.quick && chip('quick: smaller inputs', 'warn'), data.versions.map((version) => chip(`warpfold ${version}`))),
      h('h1', data.title), data.question && h('p.question', data.question),
      h('dl.tiles', tile(rows.length, 'points'), tile(various('workload'), various('workload') === 1 ? 'workload' : 'workloads'), tile(various('variant'), various('variant') === 1 ? 'variant' : 'variants'),
        tile(various('machine'), various('machine') === 1 ? 'machine' : 'machines'), seeds > 1 && tile(seeds, 'seeds'), tile(states.failed, 'failed', 'bad'), tile(cautions, 'with cautions', 'warn')),
      h('div.progress', h('div.progress-bar', {role: 'img', 'aria-label': there.map(([state, n]) => `${n} ${words[state][1]}`).join(', ')}, there.map(([state, n]) => h(`i.bg-${words[state][0]}`, {style: `flex:${n} 0 3px`}))),
        h('ul.legend', there.map(([state, n]) => h('li', h(`span.dot.bg-${words[state][0]}`), `${n.toLocaleString('en')} ${words[state][1]}`))))));
  }

  // Who is faster, in words, for each machine.
  function findings(data, choice) {
    const settings = (row) => report.settingsText(row.settings);
    return h('div.findings', unique(choice.rows.map((row) => row.machine)).map((machine) => {
      const rows = choice.rows.filter((row) => row.machine === machine && row.verdict !== 'baseline').sort((a, b) => b.speedup - a.speedup);
      const line = (verdict, kind) => {
        const mine = rows.filter((row) => row.verdict === verdict), shown = mine.slice(0, 8);
        return mine.length > 0 && h('p', h('span', verdict), shown.map((row) => chip(`${row.variant}${settings(row) ? ` ${settings(row)}` : ''} ${row.speedup.toFixed(2)}`, kind)), mine.length > shown.length && h('span', `and ${mine.length - shown.length} more`));
      };
      return h('div.finding', h('h3', `${machine}, beside ${data.baseline}`), line('faster', 'good'), line('undecided', ''), line('slower', 'bad'), line('one input', 'warn'), rows.length === 0 && h('p', 'Nothing to compare yet.'));
    }));
  }

  function answer(data) {
    const choices = report.meanChoices(data);
    if (choices.length === 0) return null;
    let choice = choices[0];
    const holder = h('div', findings(data, choice)), columns = ['machine', 'variant', 'settings', 'speedup', 'low', 'high', 'verdict', 'n', 'workloads'];
    const rows = () => choice.rows.map((row) => ({...row, settings: report.settingsText(row.settings)}));
    const card = report.card({name: 'means', title: 'Geometric mean of the speed-ups', where: 'over the workloads of a part; whiskers are 95 % intervals over seeds', build: (look) => report.means(data, choice, look),
      csv: () => report.csv(columns, rows().map((row) => columns.map((name) => row[name]))),
      fill: (element) => report.table(element, {label: 'Mean speed-ups', rows: rows(), columns: columns.map((name) => (name === 'verdict' ? report.column(name, name, {formatter: (cell) => report.verdictChip(cell.getValue())})
        : report.column(name, {speedup: 'speed-up', low: '95 % from', high: 'to', n: 'seeds'}[name] || name, ['speedup', 'low', 'high'].includes(name) ? {number: report.format('.3f')} : ['n', 'workloads'].includes(name) ? {number: report.format(',d')} : {})))}),
      controls: report.picker('Part', choices, (picked) => {
        choice = picked;
        holder.replaceChildren(findings(data, choice));
        card.again();
      })});
    return section('answer', 'The answer', 'The answer', `A variant is called faster or slower than ${data.baseline} only where the 95 % interval over seeds lies wholly on one side of it.`, holder, card.element);
  }

  function figures(data) {
    if (data.figures.length === 0) return null;
    const drawn = data.figures.map((figure) => report.card({name: figure.name, title: figure.title, where: [figure.where, `view ${figure.view}`].filter(Boolean).join('  ·  '), notes: figure.notes,
      build: figure.chart && figure.chart.kind !== 'table' ? (look) => report.chart(figure, look) : null, csv: () => report.csv(figure.columns, figure.rows), fill: (element) => report.figureTable(element, figure)}));
    queueMicrotask(() => drawn.forEach((card) => card.element.querySelector('details.data')?.open && card.openTable()));
    const marked = data.figures.some((figure) => (figure.printed || []).length > 0);
    return section('figures', 'Figures', 'Figures', marked ? 'Bars, lines and cells are our measurements; a hollow diamond is a value printed in the paper.' : '', drawn.map((card) => card.element));
  }

  function slots(data) {
    const choices = report.slotChoices(data);
    if (choices.length === 0) return null;
    let choice = choices[0];
    const table = () => {
      const {slots: bars, pieces} = report.issueSlots(data, choice, {theme: report.themes.light, styles: null, width: 900});
      const columns = ['workload', 'variant', 'time', 'cycles', ...pieces.map((piece) => piece.name)];
      return {columns, rows: bars.filter((bar) => bar.parts).map((bar) => [bar.workload, bar.bar, bar.total, bar.cycles, ...bar.parts])};
    };
    const card = report.card({name: 'issue_slots', title: 'Where the issue slots go', where: `a bar is as high as the run takes beside ${data.baseline}; its parts are what the slots of all schedulers went to`, build: (look) => report.issueSlots(data, choice, look),
      csv: () => { const {columns, rows} = table(); return report.csv(columns, rows); },
      fill: (element) => {
        const {columns, rows} = table();
        return report.table(element, {label: 'Issue slots', rows: report.objects({columns: columns.map((_, i) => `c${i}`), rows}), columns: columns.map((name, i) => report.column(`c${i}`, name, i < 2 ? {} : {number: report.format(i === 3 ? ',d' : '.1%')}))});
      },
      controls: report.picker('Show', choices, (picked) => { choice = picked; card.again(); }),
      notes: 'W25–32: the issue port held by warps with 25 to 32 active lanes, and so on. Every cycle of every scheduler is charged to exactly one of these.'});
    return section('time', 'Where time goes', 'Where time goes', 'What makes a bar shorter than the baseline’s is what the mechanism saves.', card.element);
  }

  function area(data) {
    const choices = data.area.rows.length > 0 ? report.areaChoices(data) : [];
    const title = ['area', 'Speed-up and area', 'Speed-up against area'];
    if (choices.length === 0) return section(...title, 'This study says nothing of area: with “area: true” in its file, what each mechanism adds to a core stands here.');
    let choice = choices[0];
    const columns = ['machine', 'variant', 'speedup', 'low', 'high', 'area', 'note'];
    const rows = () => (report.pareto(data, choice, {theme: report.themes.light, styles: report.styles(data.variants, data.baseline), width: 900})?.points || []);
    const card = report.card({name: 'area', title: 'Speed-up against added area', where: 'per core; the dashed line joins the variants that no other beats in both', build: (look) => report.pareto(data, choice, look),
      csv: () => report.csv(columns, rows().map((row) => columns.map((name) => row[name]))),
      fill: (element) => report.table(element, {label: 'Speed-up and area', rows: rows(), columns: columns.map((name) => report.column(name, {speedup: 'speed-up', low: '95 % from', high: 'to', area: 'mm² added'}[name] || name, ['machine', 'variant', 'note'].includes(name) ? {} : {number: report.format('.3f')}))}),
      controls: report.picker('Show', choices, (picked) => { choice = picked; card.again(); })});
    return section(...title, 'Hollow marks are lower bounds: what their note names is not in the area.', card.element);
  }

  function points(data, rows) {
    const element = h('div'), shown = h('p.shown', {'aria-live': 'polite'}), filters = {};
    let table;
    const matches = (row) => Object.entries(filters).every(([field, value]) => {
      if (value === '' || value === false) return true;
      if (field === 'words') return value.toLowerCase().split(/\s+/).every((word) => Object.values(row).join(' ').toLowerCase().includes(word));
      if (field === 'caution') return Boolean(row.caution);
      return String(row[field]) === value;
    });
    const apply = () => {
      table.setFilter(matches);
      shown.textContent = `${count(rows.filter(matches).length, 'point')} of ${rows.length.toLocaleString('en')}`;
    };
    const set = (field, value) => { filters[field] = value; apply(); };
    const choose = (field, title) => {
      const values = unique(rows.map((row) => row[field]).filter((value) => value !== null && value !== undefined && value !== ''));
      return values.length > 1 && h('label', title, h('select', {name: field, onchange: (event) => set(field, event.target.value)}, h('option', {value: ''}, 'all'), values.map((value) => h('option', {value}, value))));
    };
    const form = h('form.filters', {'aria-label': 'Filters of the points', onsubmit: (event) => event.preventDefault(), onreset: () => { Object.keys(filters).forEach((key) => delete filters[key]); apply(); }},
      h('label', 'Search', h('input', {type: 'search', name: 'words', placeholder: 'any words', oninput: (event) => set('words', event.target.value)})),
      choose('part', 'Part'), choose('machine', 'Machine'), choose('workload', 'Workload'), choose('variant', 'Variant'), choose('verdict', 'Verdict'), choose('state', 'State'),
      rows.some((row) => row.caution) && h('label.check', h('input', {type: 'checkbox', name: 'caution', onchange: (event) => set('caution', event.target.checked)}), 'with cautions'),
      h('button', {type: 'reset'}, 'Clear'),
      h('button', {type: 'button', onclick: () => table.download('csv', `${data.name}.csv`)}, 'CSV'));
    queueMicrotask(() => {
      table = report.pointsTable = report.pointTable(element, data, rows);
      table.on('tableBuilt', apply);
    });
    return section('points', 'All points', 'All points', 'Every run of the study, with its configuration and its raw statistics. Select a column’s head to sort by it; amber rows have a caution.', h('div.card', form, shown, element));
  }

  function machines(data) {
    if (data.machines.length === 0) return null;
    let machine = data.machines[0];
    const choices = data.machines.map((one) => ({label: one.name, machine: one}));
    const card = report.card({name: 'machine', title: 'Boxes and the sockets between them', where: 'one core and one memory channel of the machine', build: (look) => report.blockDiagram(data, machine, look),
      controls: report.picker('Machine', choices, (picked) => { machine = picked.machine; card.again(); })});
    const differences = report.machineDifferences(data);
    const several = data.machines.length > 1;
    const table = report.card({name: 'differences', title: several ? 'What differs' : 'What the study varies', where: several ? 'values that are not the same on all machines, or not in all points of one' : 'values that are not the same in all points',
      fill: differences.length === 0 ? null : (element) => report.table(element, {label: 'Differences between the machines', rows: differences.map((one) => ({path: one.path, unit: one.unit, help: one.help, ...Object.fromEntries(one.values.map((value, i) => [`m${i}`, value]))})),
        columns: [report.column('path', 'setting'), ...data.machines.map((one, i) => report.column(`m${i}`, one.name)), report.column('unit', 'unit'), report.column('help', 'meaning', {maxWidth: 560, tooltip: true})]}),
      notes: differences.length === 0 ? 'Nothing: all points have the same values.' : ''});
    queueMicrotask(() => table.openTable?.());
    return section('machines', 'Machines', several ? 'The machines' : 'The machine', '', data.modules.length > 0 && card.element, table.element);
  }

  function troubles(data, rows) {
    const bad = rows.filter((row) => row.state !== 'ok');
    if (bad.length === 0) return null;
    const groups = report.choices(bad, (row) => [row.state, row.reason || '']);
    const names = (list) => unique(list.map((row) => `${row.workload} ${row.variant}`));
    return section('troubles', 'Without a result', 'Points without a result', 'They are in none of the figures.', h('div.card', h('div.plain-scroll', {tabindex: 0, role: 'region', 'aria-label': 'Points without a result'}, h('table.plain',
      h('thead', h('tr', ['state', 'points', 'reason', 'which'].map((word) => h('th', {scope: 'col'}, word)))),
      h('tbody', groups.map(({rows: list}) => h('tr', h('td', chip(list[0].state, report.stateClass(list[0].state))), h('td', list.length.toLocaleString('en')), h('td', list[0].reason || (list[0].state === 'missing' ? `not run yet: warpfold study run ${data.run}` : '–')),
        h('td', names(list).slice(0, 6).join(', ') + (names(list).length > 6 ? ` and ${names(list).length - 6} more` : ''))))))))); 
  }

  report.sections = (data) => {
    const rows = report.pointRows(data);
    const foot = h('footer', `Made by warpfold ${data.warpfold} from ${data.file}. Charts: Apache ECharts (Apache-2.0), tables: Tabulator (MIT); both are part of this file.`);
    return [overview(data, rows), answer(data), figures(data), slots(data), area(data), report.timeSection?.(data), points(data, rows), machines(data), troubles(data, rows), foot];
  };
})();
report.start();
