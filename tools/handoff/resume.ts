import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { JsonObject } from '../../src/core/json/values.ts'
import type { ConversationBlock } from '../../src/core/state/block.ts'
import type { SessionConversationState, SubagentState } from '../../src/core/state/session.ts'
import { listSessions, readSession } from '../../src/entries/node.ts'
import { readPlanCall } from '../../src/programs/shared-tools.ts'
import { type WrittenSession, writeSession } from '../../src/sinks/writers/write-session.ts'
import { readBack } from '../../test/sinks/writers/read-back.ts'
import { nodeFor, npmFolder } from '../record/install.ts'
import { start } from '../record/process.ts'
import { checkRequest, type RequestCheck } from './check-request.ts'
import { MODEL, type ResumePlace, type ResumingProgram } from './programs.ts'
import { ANSWER, isConversation, type ListeningModel, startListeningModel } from './server.ts'

const LIMIT_MS = 60_000
const PROMPT = 'Go on with it.'
const PROMPT_BACK = 'Go on where you began it.'

/** How a program went on with a session that another one made. */
export interface Pair {
  readonly check?: RequestCheck
  /** How each agent of the session went on; undefined for one that did not. Absent if the program lets no agent go on. */
  readonly agents?: readonly (RequestCheck | undefined)[]
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
  return goOn(program, { state, judged: state, prompt: PROMPT, home, scratch })
}

/** Lets another program go on with a session, and then the program of the session with the files that the other one has. */
export async function resumeBack(
  program: ResumingProgram,
  other: ResumingProgram,
  state: SessionConversationState,
  scratch: string,
): Promise<Pair> {
  const place = join(scratch, 'handoff', `${program.name}-${other.name}`)
  const home = join(place, 'there')
  const { agents: _, ...main } = other
  const there = await goOn(main, { state, judged: state, prompt: PROMPT, home, scratch })
  if (!there.check) return there
  for await (const { path } of listSessions({ home, limit: 1 })) {
    const { state: stored } = await readSession(path)
    const turn = { judged: withTurn(state, stored, PROMPT), prompt: PROMPT_BACK }
    const back = await goOn(program, { state: stored, ...turn, home: join(place, 'back'), scratch })
    return { ...back, losses: `${there.losses}; back: ${back.losses}` }
  }
  return { refusal: 'the other program has no session', losses: there.losses }
}

/** Returns the session with one more turn. If the other program shows no calls of plans, the plan comes back behind all turns. */
function withTurn(
  state: SessionConversationState,
  stored: SessionConversationState,
  prompt: string,
): SessionConversationState {
  const plans = stored.blocks.some((block) => isPlan(block, stored) || isPlan(block, state))
    ? []
    : state.blocks.filter((block) => isPlan(block, state))
  const base = { conversationId: 'main', status: 'complete' } as const
  const asked = { ...base, type: 'user_message', id: 'prompt of the other', content: prompt } as const
  const answered = { ...base, type: 'assistant_text', id: 'answer of the other', content: ANSWER } as const
  const others = state.blocks.filter((block) => !plans.includes(block))
  return { ...state, blocks: [...others, asked, answered, ...plans] }
}

function isPlan(block: ConversationBlock, { session }: SessionConversationState): boolean {
  return block.type === 'tool_use' && readPlanCall(session.program, block) !== undefined
}

interface Going {
  readonly state: SessionConversationState
  /** What the next request must have. */
  readonly judged: SessionConversationState
  readonly prompt: string
  readonly home: string
  readonly scratch: string
}

async function goOn(
  program: ResumingProgram,
  { state, judged, prompt, home, scratch }: Going,
): Promise<Pair> {
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
  const end = await run(program, program.commands(place, prompt), place)
  const asked = model.requests.findLast((body) => isConversation(body) && has(body, prompt))
  const agents = program.agents && (await resumeAgents(program, { place, state, judged, written, model }))
  await model.close()
  const losses = written.losses.map(({ kind, count }) => `${kind} ${count}`).join(', ')
  return asked
    ? { check: checkRequest(asked, judged, judged), losses, ...(agents && { agents }) }
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

function has(body: JsonObject, words: string): boolean {
  return JSON.stringify(body).includes(words)
}

interface Written {
  readonly place: ResumePlace
  readonly state: SessionConversationState
  readonly judged: SessionConversationState
  readonly written: WrittenSession
  readonly model: ListeningModel
}

/** Lets each agent that the files have go on. An agent that another program has lost on the way did not go on. */
async function resumeAgents(
  program: ResumingProgram,
  { place, state, judged, written, model }: Written,
): Promise<readonly (RequestCheck | undefined)[]> {
  const left = [...readBack(program.name, written).subagents]
  const checks: (RequestCheck | undefined)[] = []
  for (const [at, agent] of judged.subagents.entries()) {
    const index = left.findIndex(({ prompt }) => prompt === agent.prompt)
    const [own] = index < 0 ? [] : left.splice(index, 1)
    if (own?.agentId === undefined) {
      if (judged !== state) checks.push(undefined)
      continue
    }
    const [prompt, question] = [`Agent ${at}, go on.`, `Let agent ${at} go on.`]
    await run(program, agentCommands(program, { agent: own, place, prompt, question, model }), place)
    // The request of main has the question too.
    const asked = model.requests.findLast((body) => has(body, prompt) && !has(body, question))
    checks.push(asked && checkRequest(asked, agent, judged))
  }
  return checks
}

interface AgentQuestion {
  readonly agent: SubagentState
  readonly place: ResumePlace
  readonly prompt: string
  readonly question: string
  readonly model: ListeningModel
}

/** Returns the commands with which an agent gets the prompt: its own one, or one with a question to main, whose answer is a call. */
function agentCommands(
  { agents, commands }: ResumingProgram,
  { agent: { agentId = '' }, place, prompt, question, model }: AgentQuestion,
): readonly (readonly string[])[] {
  if (agents?.command) return [agents.command(agentId, place, prompt)]
  if (agents?.call) model.callAt(question, agents.call(agentId, prompt))
  return commands(place, question)
}
