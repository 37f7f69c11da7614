// SPDX-License-Identifier: Apache-2.0
// The sections of what was run: points, machines, troubles; and the page as a whole.
(() => {
  const {report} = globalThis;
  const {h, section, unique} = report;
  const chip = report.textChip;
  const count = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

  function points(data, rows) {
    const element = h('div'),
      shown = h('p.shown', {'aria-live': 'polite'}),
      filters = {};
    let table;
    const matches = (row) =>
      Object.entries(filters).every(([field, value]) => {
        if (value === '' || value === false) return true;
        if (field === 'words')
          return value
            .toLowerCase()
            .split(/\s+/)
            .every((word) => Object.values(row).join(' ').toLowerCase().includes(word));
        if (field === 'caution') return Boolean(row.caution);
        return String(row[field]) === value;
      });
    const apply = () => {
      table.setFilter(matches);
      shown.textContent = `${count(rows.filter(matches).length, 'point')} of ${rows.length.toLocaleString('en')}`;
    };
    const set = (field, value) => {
      filters[field] = value;
      apply();
    };
    const choose = (field, title) => {
      const values = unique(
        rows.map((row) => row[field]).filter((value) => value !== null && value !== undefined && value !== '')
      );
      return (
        values.length > 1 &&
        h(
          'label',
          title,
          h(
            'select',
            {name: field, onchange: (event) => set(field, event.target.value)},
            h('option', {value: ''}, 'all'),
            values.map((value) => h('option', {value}, value))
          )
        )
      );
    };
    const form = h(
      'form.filters',
      {
        'aria-label': 'Filters of the points',
        onsubmit: (event) => event.preventDefault(),
        onreset: () => {
          Object.keys(filters).forEach((key) => delete filters[key]);
          apply();
        },
      },
      h(
        'label',
        'Search',
        h('input', {
          type: 'search',
          name: 'words',
          placeholder: 'any words',
          oninput: (event) => set('words', event.target.value),
        })
      ),
      choose('part', 'Part'),
      choose('machine', 'Machine'),
      choose('workload', 'Workload'),
      choose('variant', 'Variant'),
      choose('verdict', 'Verdict'),
      choose('state', 'State'),
      rows.some((row) => row.caution) &&
        h(
          'label.check',
          h('input', {type: 'checkbox', name: 'caution', onchange: (event) => set('caution', event.target.checked)}),
          'with cautions'
        ),
      h('button', {type: 'reset'}, 'Clear'),
      h('button', {type: 'button', onclick: () => table.download('csv', `${data.name}.csv`)}, 'CSV')
    );
    queueMicrotask(() => {
      table = report.pointsTable = report.pointTable(element, data, rows);
      table.on('tableBuilt', apply);
    });
    return section(
      'points',
      'All points',
      'All points',
      `Every run of the study, with its configuration and its raw statistics.${report.common ? ` All have ${report.common}.` : ''} Select a column’s head to sort by it; amber rows have a caution.`,
      h('p.on-paper', `The table of ${count(rows.length, 'point')} is not printed: it is in this file on a screen.`),
      h('div.card', form, shown, element)
    );
  }

  function machines(data) {
    if (data.machines.length === 0) return null;
    let machine = data.machines[0];
    const choices = data.machines.map((one) => ({label: one.name, machine: one}));
    const card = report.card({
      name: 'machine',
      title: 'Boxes and the sockets between them',
      where: 'one core and one memory channel of the machine',
      build: (look) => report.blockDiagram(data, machine, look),
      controls: report.picker('Machine', choices, (picked) => {
        machine = picked.machine;
        card.again();
      }),
    });
    const differences = report.machineDifferences(data);
    const several = data.machines.length > 1;
    const table = report.card({
      name: 'differences',
      title: several ? 'What differs' : 'What the study varies',
      where: several
        ? 'values that are not the same on all machines, or not in all points of one'
        : 'values that are not the same in all points',
      fill:
        differences.length === 0
          ? null
          : (element) =>
              report.table(element, {
                label: 'Differences between the machines',
                rows: differences.map((one) => ({
                  path: one.path,
                  unit: one.unit,
                  help: one.help,
                  ...Object.fromEntries(one.values.map((value, i) => [`m${i}`, value])),
                })),
                columns: [
                  report.column('path', 'setting'),
                  ...data.machines.map((one, i) => report.column(`m${i}`, one.name)),
                  report.column('unit', 'unit'),
                  report.column('help', 'meaning', {maxWidth: 560, tooltip: true}),
                ],
              }),
      notes: differences.length === 0 ? 'Nothing: all points have the same values.' : '',
    });
    queueMicrotask(() => table.openTable?.());
    return section(
      'machines',
      'Machines',
      several ? 'The machines' : 'The machine',
      '',
      data.modules.length > 0 && card.element,
      table.element
    );
  }

  function troubles(data, rows) {
    const bad = rows.filter((row) => row.state !== 'ok');
    if (bad.length === 0) return null;
    const groups = report.choices(bad, (row) => [row.state, row.reason || '']);
    const names = (list) => unique(list.map((row) => `${row.workload} ${row.variant}`));
    return section(
      'troubles',
      'Without a result',
      'Points without a result',
      'They are in none of the figures.',
      h(
        'div.card',
        h(
          'div.plain-scroll',
          {tabindex: 0, role: 'region', 'aria-label': 'Their states and reasons'},
          h(
            'table.plain',
            h(
              'thead',
              h(
                'tr',
                ['state', 'points', 'reason', 'which'].map((word) => h('th', {scope: 'col'}, word))
              )
            ),
            h(
              'tbody',
              groups.map(({rows: list}) =>
                h(
                  'tr',
                  h('td', chip(list[0].state, report.stateClass(list[0].state))),
                  h('td', list.length.toLocaleString('en')),
                  h(
                    'td',
                    list[0].reason ||
                      (list[0].state === 'missing' ? `not run yet: warpfold study run ${data.run}` : '–')
                  ),
                  h(
                    'td',
                    names(list).slice(0, 6).join(', ') +
                      (names(list).length > 6 ? ` and ${names(list).length - 6} more` : '')
                  )
                )
              )
            )
          )
        )
      )
    );
  }

  report.sections = (data) => {
    const {found} = report;
    const rows = report.pointRows(data);
    const foot = h(
      'footer',
      data.run && ['Made by ', h('code', `warpfold study report ${data.run}`), `, `],
      `${data.run ? '' : 'Made by '}warpfold ${data.warpfold}${data.file ? `, from ${data.file}` : ''}. Charts: Apache ECharts (Apache-2.0), tables: Tabulator (MIT); both are part of this file.`
    );
    if (rows.length === 0) return [found.title(data), found.figures(data), report.timeSection(data), foot];
    return [
      found.overview(data, rows),
      found.answer(data),
      found.figures(data),
      found.slots(data),
      found.area(data),
      report.timeSection(data),
      points(data, rows),
      machines(data),
      troubles(data, rows),
      foot,
    ];
  };
})();
globalThis.report.start();
