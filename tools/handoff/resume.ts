import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { isString, type JsonObject } from '../../src/json/values.ts'
import { type WrittenSession, writeSession } from '../../src/sinks/writers/write-session.ts'
import type { SessionConversationState, SubagentState } from '../../src/state/session.ts'
import { nodeFor, npmFolder } from '../record/install.ts'
import { start } from '../record/process.ts'
import { checkRequest, type RequestCheck } from './check-request.ts'
import { AGENT_PROMPT, MODEL, PROMPT, type ResumePlace, type ResumingProgram } from './programs.ts'
import { type ListeningModel, startListeningModel } from './server.ts'

const LIMIT_MS = 60_000

/** How a program went on with a session that another one made. */
export interface Pair {
  readonly check?: RequestCheck
  /** How an agent of the session went on. Absent if it has none, or if the program resumes none. */
  readonly agentCheck?: RequestCheck | 'not resumed'
  readonly losses: string
  /** Why the program did not ask the model. */
  readonly refusal?: string
}

/** Returns the folder of a program from npm. */
export function installed(program: ResumingProgram, scratch: string): string {
  return npmFolder(scratch, `${program.name}@handoff`, program.packages)
}

/** Writes a session for a program, which goes on with it against a model on loopback. */
export async function resume(
  program: ResumingProgram,
  state: SessionConversationState,
  scratch: string,
): Promise<Pair> {
  const home = join(scratch, 'handoff', program.name)
  rmSync(home, { recursive: true, force: true })
  const cwd = join(home, 'demo')
  mkdirSync(cwd, { recursive: true })
  const written = writeSession(state, { program: program.name, cwd, model: program.model ?? MODEL })
  const model = await startListeningModel()
  const folder = program.folder(home)
  const whole = (word: string) => (Object.hasOwn(written.files, word) ? join(folder, word) : word)
  const place = {
    ...{ home, installed: installed(program, scratch), node: nodeFor(program, scratch), url: model.url },
    commands: written.commands.map((words) => words.map(whole)),
  }
  writeFiles(folder, written.files)
  writeFiles(home, program.homeFiles(place))
  const end = await run(program, program.commands(place), place)
  const agentCheck = await resumeAgent(program, { place, state, written, model })
  await model.close()
  const asked = requestWith(PROMPT, model)
  const losses = written.losses.map(({ kind, count }) => `${kind} ${count}`).join(', ')
  return asked
    ? { check: checkRequest(asked, state, state), losses, ...(agentCheck && { agentCheck }) }
    : { refusal: end.replaceAll(home, '~').slice(0, 120), losses }
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Runs the commands one after the other. Returns how the last one ended. */
async function run(
  program: ResumingProgram,
  commands: readonly (readonly string[])[],
  place: ResumePlace,
): Promise<string> {
  const own = { PATH: process.env.PATH ?? '', HOME: place.home, LANG: 'C.UTF-8', TERM: 'dumb' }
  const env = { ...own, ...program.environment(place) }
  let end = ''
  for (const command of commands) {
    const finished = await start(command, { cwd: join(place.home, 'demo'), env, limitMs: LIMIT_MS }).finished
    end = `${finished.end}: ${finished.errors.trim().split('\n').at(-1) ?? ''}`
  }
  return end
}

/** Returns the last request for a conversation that has the prompt. Requests for a title offer no tools. */
function requestWith(prompt: string, { requests }: ListeningModel): JsonObject | undefined {
  return requests.findLast(
    (body) => JSON.stringify(body.tools ?? '').length > 2 && JSON.stringify(body).includes(prompt),
  )
}

interface Written {
  readonly place: ResumePlace
  readonly state: SessionConversationState
  readonly written: WrittenSession
  readonly model: ListeningModel
}

/** Goes on with the first agent that is in a file, if the program resumes agents. */
async function resumeAgent(
  program: ResumingProgram,
  { place, state, written, model }: Written,
): Promise<Pair['agentCheck']> {
  for (const [path, text] of program.agentCommands ? Object.entries(written.files) : []) {
    const agent = state.subagents.find((each) => isOf(each, text))
    const commands = agent && program.agentCommands?.(path, place)
    if (!agent || !commands) continue
    await run(program, commands, place)
    const asked = requestWith(AGENT_PROMPT, model)
    return asked ? checkRequest(asked, agent, state) : 'not resumed'
  }
  return undefined
}

/** Whether the file is the agent's: its own prompt is the first one. */
function isOf({ prompt }: SubagentState, text: string): boolean {
  return isString(prompt) && prompt !== '' && text.includes(JSON.stringify(prompt).slice(1, -1))
}
