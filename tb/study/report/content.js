// SPDX-License-Identifier: Apache-2.0
// The sections of what the study found: overview, answer, figures, issue slots, area.
(() => {
  const {report} = globalThis;
  const {h, unique} = report;
  const section = (report.section = (id, short, title, lead, ...rest) =>
    h(
      'section',
      {id, 'data-short': short, 'aria-labelledby': `${id}-title`},
      h('h2', {id: `${id}-title`}, title),
      lead && h('p.lead', lead),
      rest
    ));
  const chip = (report.textChip = (text, kind, title) =>
    h(`span.chip${kind ? `.${kind}` : ''}`, title ? {title} : null, text));

  function overview(data, rows) {
    const states = {ok: 0, failed: 0, missing: 0, 'n/a': 0};
    for (const row of rows) states[row.state in states ? row.state : 'failed'] += 1;
    const cautions = rows.filter((row) => row.state === 'ok' && row.caution).length;
    const tile = (value, label, kind) =>
      h(`div.tile${kind && value > 0 ? `.${kind}` : ''}`, h('dt', label), h('dd', value.toLocaleString('en')));
    const various = (field) =>
      unique(rows.map((row) => row[field]).filter((value) => value !== null && value !== '')).length;
    const words = {
      ok: ['ok', 'with a result'],
      failed: ['bad', 'failed'],
      missing: ['missing', 'missing'],
      'n/a': ['na', 'not applicable'],
    };
    const there = Object.entries(states).filter(([, n]) => n > 0);
    const seeds = various('seed');
    return h(
      'section',
      {id: 'overview', 'data-short': 'Overview', 'aria-label': 'Overview'},
      h(
        'div.hero',
        h(
          'div.eyebrow',
          chip('study', 'accent'),
          data.paper && chip(`paper: ${data.paper}`),
          chip(`baseline: ${data.baseline}`),
          data.quick && chip('quick: smaller inputs', 'warn'),
          data.versions.map((version) => chip(`warpfold ${version}`))
        ),
        h('h1', data.title),
        data.question && h('p.question', data.question),
        h(
          'dl.tiles',
          tile(rows.length, 'points'),
          tile(various('workload'), various('workload') === 1 ? 'workload' : 'workloads'),
          tile(various('variant'), various('variant') === 1 ? 'variant' : 'variants'),
          tile(various('machine'), various('machine') === 1 ? 'machine' : 'machines'),
          seeds > 1 && tile(seeds, 'seeds'),
          tile(states.failed, 'failed', 'bad'),
          tile(cautions, 'with cautions', 'warn')
        ),
        h(
          'div.progress',
          h(
            'div.progress-bar',
            {role: 'img', 'aria-label': there.map(([state, n]) => `${n} ${words[state][1]}`).join(', ')},
            there.map(([state, n]) => h(`i.bg-${words[state][0]}`, {style: `flex:${n} 0 3px`}))
          ),
          h(
            'ul.legend',
            there.map(([state, n]) =>
              h('li', h(`span.dot.bg-${words[state][0]}`), `${n.toLocaleString('en')} ${words[state][1]}`)
            )
          )
        )
      )
    );
  }

  // Of a page without points.
  const title = (data) =>
    h(
      'section',
      {id: 'overview', 'data-short': 'Overview', 'aria-label': 'Overview'},
      h('div.hero', h('h1', data.title), h('p.question', data.question))
    );

  // Who is faster, in words, for each machine.
  function findings(data, choice) {
    const settings = (row) => report.settingsText(row.settings);
    return h(
      'div.findings',
      report
        .stylesOf(data)
        .ordered(unique(choice.rows.map((row) => row.machine)))
        .map((machine) => {
          const rows = choice.rows
            .filter((row) => row.machine === machine && row.verdict !== 'baseline')
            .sort((a, b) => b.speedup - a.speedup);
          const line = (verdict, kind) => {
            const mine = rows.filter((row) => row.verdict === verdict),
              shown = mine.slice(0, 8);
            return (
              mine.length > 0 &&
              h(
                'p',
                h('span', verdict),
                shown.map((row) =>
                  chip(
                    `${row.variant}${settings(row) ? ` ${settings(row)}` : ''} ${row.speedup.toFixed(2)}${row.caution ? ' !' : ''}`,
                    kind,
                    row.caution
                  )
                ),
                mine.length > shown.length && h('span', `and ${mine.length - shown.length} more`)
              )
            );
          };
          return h(
            'div.finding',
            h('h3', `${machine}, beside ${data.baseline}`),
            line('faster', 'good'),
            line('undecided', ''),
            line('slower', 'bad'),
            line('one input', 'warn'),
            rows.length === 0 && h('p', 'Nothing to compare yet.')
          );
        })
    );
  }

  function answer(data) {
    const choices = report.meanChoices(data);
    if (choices.length === 0) return null;
    let choice = choices[0];
    const holder = h('div', findings(data, choice)),
      columns = ['machine', 'variant', 'settings', 'speedup', 'low', 'high', 'verdict', 'caution', 'n', 'workloads'];
    const rows = () => choice.rows.map((row) => ({...row, settings: report.settingsText(row.settings)}));
    const card = report.card({
      name: 'means',
      title: 'Geometric mean of the speed-ups',
      where: 'over the workloads of a part; whiskers are 95 % intervals over seeds',
      build: (look) => report.means(data, choice, look),
      csv: () =>
        report.csv(
          columns,
          rows().map((row) => columns.map((name) => row[name]))
        ),
      fill: (element) =>
        report.table(element, {
          label: 'Mean speed-ups',
          rows: rows(),
          columns: columns.map((name) =>
            name === 'verdict' || name === 'caution'
              ? report.column(name, name, {
                  formatter: (cell) => (name === 'verdict' ? report.verdictChip : report.cautionChip)(cell.getValue()),
                })
              : report.column(
                  name,
                  {speedup: 'speed-up', low: '95 % from', high: 'to', n: 'seeds'}[name] || name,
                  ['speedup', 'low', 'high'].includes(name)
                    ? {number: report.format('.3f')}
                    : ['n', 'workloads'].includes(name)
                      ? {number: report.format(',d')}
                      : {}
                )
          ),
        }),
      notes: choices.some((one) => unique(one.rows.map(report.nameOf)).length > report.mostMeans + 1)
        ? `No more than ${report.mostMeans} are drawn; the table has all.`
        : '',
      controls: report.picker('Part', choices, (picked) => {
        choice = picked;
        holder.replaceChildren(findings(data, choice));
        card.again();
      }),
    });
    return section(
      'answer',
      'The answer',
      'The answer',
      `A variant is called faster or slower than ${data.baseline} only where the 95 % interval over seeds lies wholly on one side of it.`,
      holder,
      card.element
    );
  }

  function figures(data) {
    if (data.figures.length === 0) return null;
    const drawn = data.figures.map((figure) =>
      report.card({
        name: figure.name,
        title: figure.title,
        where: [figure.where, figure.view && `view ${figure.view}`].filter(Boolean).join('  ·  '),
        notes: figure.notes,
        build: figure.chart && figure.chart.kind !== 'table' ? (look) => report.chart(figure, look) : null,
        csv: () => report.csv(figure.columns, figure.rows),
        fill: (element) => report.figureTable(element, figure),
      })
    );
    queueMicrotask(() => drawn.forEach((card) => card.element.querySelector('details.data')?.open && card.openTable()));
    const marked = data.figures.some((figure) => (figure.printed || []).length > 0);
    return section(
      'figures',
      'Figures',
      'Figures',
      marked ? 'Bars, lines and cells are our measurements; a hollow diamond is a value printed in the paper.' : '',
      drawn.map((card) => card.element)
    );
  }

  function slots(data) {
    const choices = report.slotChoices(data);
    if (choices.length === 0) return null;
    let choice = choices[0];
    const table = () => {
      const {slots: bars, pieces} = report.issueSlots(data, choice, {
        theme: report.themes.light,
        styles: null,
        width: 900,
      });
      const columns = ['workload', 'variant', 'time', 'cycles', ...pieces.map((piece) => piece.name)];
      return {
        columns,
        rows: bars
          .filter((bar) => bar.parts)
          .map((bar) => [bar.workload, bar.bar, bar.total, bar.cycles, ...bar.parts]),
      };
    };
    const card = report.card({
      name: 'issue_slots',
      title: 'Where the issue slots go',
      where: `a bar is as high as the run takes beside ${data.baseline}; its parts are what the slots of all schedulers went to`,
      build: (look) => report.issueSlots(data, choice, look),
      csv: () => {
        const {columns, rows} = table();
        return report.csv(columns, rows);
      },
      fill: (element) => {
        const {columns, rows} = table();
        return report.table(element, {
          label: 'Issue slots',
          rows: report.objects({columns: columns.map((_, i) => `c${i}`), rows}),
          columns: columns.map((name, i) =>
            report.column(`c${i}`, name, i < 2 ? {} : {number: report.format(i === 3 ? ',d' : '.1%')})
          ),
        });
      },
      controls: report.picker('Show', choices, (picked) => {
        choice = picked;
        card.again();
      }),
      notes:
        'W4/4: the issue port held by warps of which more than three quarters of the lanes are active, and so on. Every cycle of every scheduler is charged to exactly one of these.',
    });
    return section(
      'time',
      'Where time goes',
      'Where time goes',
      'What makes a bar shorter than the baseline’s is what the mechanism saves.',
      card.element,
      causes(data)?.element
    );
  }

  // One row a run beside its baseline, one column a cause.
  function causes(data) {
    const found = new Map();
    for (const row of report.objects(data.causes)) {
      const place = [row.part, row.machine, row.workload, row.variant, report.settingsText(row.settings)];
      const key = place.join('\n');
      if (!found.has(key)) found.set(key, {place, causes: {}, all: 0});
      found.get(key).causes[row.cause] = row.difference;
      found.get(key).all += row.difference;
    }
    if (found.size === 0) return null;
    const rows = [...found.values()];
    const most = (name) => Math.max(...rows.map((row) => Math.abs(row.causes[name] || 0)));
    const names = unique(rows.flatMap((row) => Object.keys(row.causes))).filter((name) => most(name) >= 0.01);
    names.sort((a, b) => most(b) - most(a));
    const heads = ['part', 'machine', 'workload', 'variant', 'settings'].map((name, i) => ({name, i}));
    const shown = heads.filter(({i}) => unique(rows.map(({place}) => place[i])).length > 1 || i === 3);
    const columns = [...shown.map(({name}) => name), 'in all', ...names];
    const values = rows.map(({place, causes: of, all}) => [
      ...shown.map(({i}) => place[i]),
      all,
      ...names.map((name) => of[name] ?? null),
    ]);
    const card = report.card({
      name: 'slot_causes',
      title: 'What the difference went to',
      where: `slots beyond those of ${data.baseline}, as shares of its slots; causes from a hundredth on, the largest first`,
      csv: () => report.csv(columns, values),
      fill: (element) =>
        report.table(element, {
          label: 'Causes of the difference',
          rows: report.objects({columns: columns.map((_, i) => `c${i}`), rows: values}),
          columns: columns.map((name, i) =>
            report.column(`c${i}`, name.replaceAll('_', ' '), i < shown.length ? {} : {number: report.format('.1%')})
          ),
        }),
      notes: 'A slot is a symptom: warpfold explain takes one program’s difference apart by what causes it (docs/explain.md).',
    });
    queueMicrotask(card.openTable);
    return card;
  }

  function area(data) {
    const choices = data.area.rows.length > 0 ? report.areaChoices(data) : [];
    const title = ['area', 'Speed-up and area', 'Speed-up against area'];
    if (choices.length === 0)
      return section(
        ...title,
        'This study says nothing of area: with “area: true” in its file, what each mechanism adds to a core stands here.'
      );
    let choice = choices[0];
    const columns = ['machine', 'variant', 'speedup', 'low', 'high', 'area', 'note'];
    const rows = () =>
      report.pareto(data, choice, {theme: report.themes.light, styles: report.stylesOf(data), width: 900})?.points ||
      [];
    const card = report.card({
      name: 'area',
      title: 'Speed-up against added area',
      where: 'per core; the dashed line joins the variants that no other beats in both',
      build: (look) => report.pareto(data, choice, look),
      csv: () =>
        report.csv(
          columns,
          rows().map((row) => columns.map((name) => row[name]))
        ),
      fill: (element) =>
        report.table(element, {
          label: 'Speed-up and area',
          rows: rows(),
          columns: columns.map((name) =>
            report.column(
              name,
              {speedup: 'speed-up', low: '95 % from', high: 'to', area: 'mm² added'}[name] || name,
              ['machine', 'variant', 'note'].includes(name) ? {} : {number: report.format('.3f')}
            )
          ),
        }),
      controls: report.picker('Show', choices, (picked) => {
        choice = picked;
        card.again();
      }),
    });
    return section(...title, 'Hollow marks are lower bounds: what their note names is not in the area.', card.element);
  }

  report.found = {title, overview, answer, figures, slots, area};
})();
