import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFacts } from './make-facts.ts'
import { BASE_ENVIRONMENT, type Running, start } from './process.ts'
import type { Place, RecordedProgram, SessionStart } from './program.ts'
import { DEMO_FILES } from './scenarios.ts'
import { PICTURE_FILE, reportOf, type Scenario, stoppedAgents } from './script.ts'
import { PICTURE } from './server/demo-tools.ts'
import { startModel } from './server/server.ts'

/** An installed program. */
export interface Installed {
  readonly program: RecordedProgram
  readonly version: string
  readonly folder: string
  /** The program `node` that runs it. */
  readonly node: string
}

/** The time that one process of a program may take. */
const PROCESS_LIMIT_MS = 60_000

/** Records a scenario in a folder. The home folder and the work folder are new ones beside it. */
export async function recordScenario(
  installed: Installed,
  scenario: Scenario,
  folder: string,
): Promise<string> {
  const { program, version } = installed
  const place = newPlace(installed, scenario, folder)
  const model = await startModel(scenario, program.tools, place.work)
  const session: SessionStart = { ...place, scenario, url: model.url, silence: model.silence }
  writeFiles(place.home, program.homeFiles?.(session) ?? {})
  const { files, notes } = program.record
    ? await program.record(session)
    : await runProcesses(program, session)
  await model.close()
  writeFiles(folder, files)
  for (const [from, to] of program.stores) keep(join(place.home, from), join(folder, to))
  writeFiles(folder, {
    'server.ndjson': model.log.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    'facts.json': `${JSON.stringify(makeFacts(program, version, scenario, model.log), null, 1)}\n`,
  })
  return notes
}

function newPlace({ folder: installed, node }: Installed, { files }: Scenario, folder: string): Place {
  const place = { home: `${folder}.home`, work: `${folder}.work`, installed, node }
  for (const path of [folder, place.home, place.work]) {
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path, { recursive: true })
  }
  writeFiles(place.work, { ...DEMO_FILES, ...files, [PICTURE_FILE]: Buffer.from(PICTURE, 'base64') })
  return place
}

/** Runs the processes of a session one after the other. Their output is its stream. */
async function runProcesses(program: RecordedProgram, session: SessionStart) {
  const streams: string[] = []
  const notes: string[] = []
  for (const [at, run] of session.scenario.runs.entries()) {
    const given = { ...session, run, resumes: at > 0 }
    const input = program.input?.(given)
    const running = start(program.command(given), {
      cwd: run.isElsewhere ? `${session.work}/src` : session.work,
      env: { ...BASE_ENVIRONMENT, HOME: session.home, ...program.environment(given) },
      limitMs: PROCESS_LIMIT_MS,
      ...(input !== undefined && { input: 'pipe' }),
    })
    if (run.stop === 'agent' && program.stopsAgent) stopAgent(running, input, session, program.stopsAgent)
    else running.child.stdin?.end(input)
    if (run.stop && run.stop !== 'agent')
      void session.silence.then(() => (run.stop === 'kill' ? running.kill() : running.interrupt()))
    const { output, errors, end } = await running.finished
    streams.push(output)
    notes.push(`${end} ${errors.slice(0, 400)}`.trim())
    // A program may still write its files.
    await sleep(200)
  }
  return { files: { 'stream.ndjson': streams.join('') }, notes: notes.join(' | ') }
}

/** Stops the agent that the model speaks to. The process reads requests until main has its last reply. */
function stopAgent(
  { child: { stdin, stdout } }: Running,
  input: string | undefined,
  { scenario, silence }: SessionStart,
  lineOf: NonNullable<RecordedProgram['stopsAgent']>,
): void {
  const [main] = scenario.agents
  const [stopped = ''] = stoppedAgents(scenario)
  let output = ''
  stdout?.on('data', (chunk: Buffer) => {
    output += chunk
    if (main && output.includes(`"result":${JSON.stringify(reportOf(main))}`)) stdin?.end()
  })
  stdin?.write(input ?? '')
  void silence.then(() => stdin?.write(lineOf(output, stopped)))
}

function keep(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to, { recursive: true })
}

function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
}
