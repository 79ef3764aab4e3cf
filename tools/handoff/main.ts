import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { readSession } from '../../src/node/index.ts'
import { writeSession } from '../../src/sinks/writers/write-session.ts'
import type { SessionConversationState } from '../../src/state/session.ts'
import { npmFolder } from '../record/install.ts'
import { isAlone, runAlone } from '../record/network.ts'
import { start } from '../record/process.ts'
import { checkRequest, type RequestCheck } from './check-request.ts'
import { MODEL, PROMPT, RESUMING_PROGRAMS, type ResumingProgram } from './programs.ts'
import { startListeningModel } from './server.ts'
import { SOURCES } from './sources.ts'

const scratch = process.env.AGENTFOLD_RECORD ?? join(tmpdir(), 'agentfold-record')
const LIMIT_MS = 60_000

/** How a program went on with a session that another one made. */
interface Pair {
  readonly check?: RequestCheck
  readonly losses: string
  /** Why the program did not ask the model. */
  readonly refusal?: string
}

const installed = (program: ResumingProgram) =>
  npmFolder(scratch, `${program.name}@handoff`, program.packages)

async function resume(program: ResumingProgram, state: SessionConversationState): Promise<Pair> {
  const home = join(scratch, 'handoff', program.name)
  rmSync(home, { recursive: true, force: true })
  const cwd = join(home, 'demo')
  mkdirSync(cwd, { recursive: true })
  const { files, commands, losses } = writeSession(state, { program: program.name, cwd, model: MODEL })
  const model = await startListeningModel()
  const folder = program.folder(home)
  const whole = (word: string) => (Object.hasOwn(files, word) ? join(folder, word) : word)
  const place = {
    ...{ home, installed: installed(program), node: process.execPath, url: model.url },
    commands: commands.map((words) => words.map(whole)),
  }
  const texts = Object.entries(files).map(([path, text]) => [join(folder, path), text] as const)
  const own = Object.entries(program.homeFiles(place)).map(
    ([path, text]) => [join(home, path), text] as const,
  )
  for (const [path, text] of [...texts, ...own]) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...program.environment(place),
  }
  let end = ''
  for (const command of program.commands(place)) {
    const finished = await start(command, { cwd, env, limitMs: LIMIT_MS }).finished
    end = `${finished.end}: ${finished.errors.trim().split('\n').at(-1) ?? ''}`
  }
  await model.close()
  const asked = model.requests.findLast(
    (body) => JSON.stringify(body.tools ?? '').length > 2 && JSON.stringify(body).includes(PROMPT),
  )
  const lost = losses.map(({ kind, count }) => `${kind} ${count}`).join(', ')
  return asked
    ? { check: checkRequest(asked, state), losses: lost }
    : { refusal: end.slice(0, 120), losses: lost }
}

const print = (line: string) => process.stdout.write(`${line}\n`)

const only = process.argv.slice(2)
const programs = RESUMING_PROGRAMS.filter(({ name }) => only.length === 0 || only.includes(name))
for (const program of programs) installed(program)
if (!isAlone() && runAlone(only)) process.exit()

const rows: string[] = []
for (const { name, path } of SOURCES) {
  const { state } = await readSession(join('fixtures', path))
  const pairs = await Promise.all(
    programs.map(async (program) => rowOf(name, program, await resume(program, state))),
  )
  for (const row of pairs) print(row)
  rows.push(...pairs)
}

function rowOf(name: string, program: ResumingProgram, { check, refusal, losses }: Pair): string {
  const shares = check && Object.values(check).map(({ found, all }) => `${found}/${all}`)
  return `| ${name} | ${program.name} | ${(shares ?? ['–', '–', '–', '–']).join(' | ')} | ${refusal ?? losses} |`
}

const page = 'docs/handoff.md'
const BEGIN = '<!-- `npm run handoff` writes this table. -->'
if (only.length === 0 && existsSync(page)) {
  const head = [
    '| session | goes on in | prompts | texts | calls | results | losses |',
    '| --- | --- | --- | --- | --- | --- | --- |',
  ]
  const [before = ''] = readFileSync(page, 'utf8').split(BEGIN)
  writeFileSync(page, `${before}${BEGIN}\n\n${[...head, ...rows].join('\n')}\n`)
}
