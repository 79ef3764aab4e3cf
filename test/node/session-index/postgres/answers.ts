import type { SearchQuery, SessionIndex, StatisticsQuery } from '../../../../src/entries/node.ts'
import { STATISTIC_KEYS } from '../../../../src/node/session-index/statistics.ts'

const TEXTS = ['tea', 'KÖLN', 'boil water', '天気', 'nothing has this', 'a']

interface Placed {
  readonly path: string
  readonly machine?: string
  readonly file?: string
}

/** Returns rows in one order, without their places: those of another machine are its own. */
function withoutPlaces<Row extends Placed>(rows: readonly Row[]): readonly unknown[] {
  return rows
    .map(({ path: _path, machine: _machine, file: _file, ...row }) => row)
    .map((row) => [JSON.stringify(row), row] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, row]) => row)
}

/** Returns what an index answers to each kind of question. */
export async function answersOf(
  index: SessionIndex,
  { view, priceOf }: Pick<SearchQuery, 'view'> & Pick<StatisticsQuery, 'priceOf'> = {},
): Promise<object> {
  await index.update()
  const searches = await Promise.all([
    ...TEXTS.map((text) => index.search(text, { ...(view && { view }) })),
    ...[{ tool: 'command' }, { file: 'src/tea.ts' }, { failed: true }].map((filter) =>
      index.search('', { ...filter, ...(view && { view }) }),
    ),
  ])
  const statistics = await Promise.all(
    STATISTIC_KEYS.map((by) => index.stats({ by, since: '2026-01-02', ...(priceOf && { priceOf }) })),
  )
  return {
    records: withoutPlaces(await index.records()),
    cwd: withoutPlaces(await index.sessions({ cwd: '/srv/project-1' })),
    count: await index.count({ program: 'claude-code', since: '2026-01-02' }),
    searches: searches.map(withoutPlaces),
    statistics,
  }
}
