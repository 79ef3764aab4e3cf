import { existsSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { environmentOf, homesOf, sessionPlaces } from '../../node/list/program-places.ts'
import { DEFAULT_COLUMNS, type Terminal } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import { isFilter, type SessionFilter } from './filter.ts'
import type { MachineOptions } from './machine-index.ts'

/** Where a command has found no session. */
interface SearchedPlace {
  /** The folder that a person passed. */
  readonly folder?: string | undefined
  readonly index?: MachineOptions['index'] | undefined
}

/** Says on standard error why there is no session. An empty list is an answer. */
export async function reportNone(
  filter: SessionFilter,
  { folder, index }: SearchedPlace,
  terminal: Terminal,
): Promise<void> {
  const { home, ownHome } = terminal
  const folders = home === ownHome ? [] : homesOf(home)
  const gone = [filter.cwd, ...folders].find((each) => each !== undefined && !existsSync(each))
  const isOfMachine = typeof index !== 'string'
  const say = (text: string) => terminal.writeError(`agentfold: ${oneLine(text)}\n`)
  if (gone !== undefined && isOfMachine) say(`no session matches: ${resolve(gone)}: no such folder`)
  else if (isFilter(filter) || !isOfMachine) say('no session matches')
  else if (folder !== undefined)
    say(`no sessions in ${folder}: pass another folder, or a file to agentfold show`)
  else {
    say('no sessions in these places: pass a folder, or a file to agentfold show')
    for (const line of await placeLines(terminal)) terminal.writeError(`  ${line}\n`)
  }
}

async function placeLines({
  home,
  ownHome,
  columns = DEFAULT_COLUMNS,
}: Terminal): Promise<readonly string[]> {
  const { wrapFacts } = await import('../terminal/wrap.ts')
  const own = home === ownHome ? environmentOf(home).home : undefined
  const short = (path: string) =>
    own !== undefined && path.startsWith(own + sep) ? `~${path.slice(own.length)}` : path
  return wrapFacts(
    sessionPlaces(home).map((path) => oneLine(short(path))),
    columns - 2,
  )
}
