import { setTimeout as sleep } from 'node:timers/promises'
import { asArray, asObject, type JsonObject } from '../../src/core/json/values.ts'
import type { FactForm } from '../../test/facts/facts.ts'
import { BASE_ENVIRONMENT, start } from './process.ts'
import type { RecordedProgram, SessionRecord, SessionStart } from './program.ts'
import { connect, endOf } from './rpc-client.ts'
import { innerAgents, isRefused, MILLISECONDS_BEFORE_QUEUED, type Run } from './script.ts'
import { PICTURE } from './server/demo-tools.ts'

/** How a program serves the Agent Client Protocol on its standard input and output. */
export interface AcpMode {
  readonly command: (session: SessionStart) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** How the client logs in, if the program asks for it. */
  readonly authMethod?: string
  /** The mode in which the program asks nobody. */
  readonly modeId?: string
  /** The name of the connection's form in the facts, and of its file. */
  readonly form: 'acp' | 'rpc'
  /** What the form does not carry. */
  readonly lacks: readonly string[]
  /** The names of the calls that the form does not carry. */
  readonly lacksCalls?: readonly string[]
  /** Whether the form has nothing of agents that other agents have started but their calls. */
  readonly lacksInnerAgents?: true
  /** The name of the stored session's form. */
  readonly store: 'store' | 'acp-store'
  /** What the stored session lacks, and that of the command line has. */
  readonly storeLacks?: readonly string[]
  /** The scenarios that only the command line cannot do. */
  readonly can: readonly string[]
  /** Why the protocol cannot do a scenario. */
  readonly cannot?: Readonly<Record<string, string>>
}

/** Returns the program as a client of its protocol records it. */
export function overAcp(program: RecordedProgram, acp: AcpMode): RecordedProgram {
  return {
    ...program,
    name: `${program.name}-acp`,
    record: (session) => recordAcp(session, program, acp),
    stores: program.stores.map(([from, to]) => [from, to.replace(/^store/, acp.store)]),
    forms: (scenario) => ({
      [acp.form]: {
        lacks: acp.lacks,
        ...(acp.lacksCalls && { lacksCalls: acp.lacksCalls }),
        ...(acp.lacksInnerAgents && { lacksAgents: innerAgents(scenario) }),
      },
      [acp.store]: storedForm(program.forms(scenario).store, acp),
    }),
    cannot: {
      ...Object.fromEntries(Object.entries(program.cannot).filter(([name]) => !acp.can.includes(name))),
      background: 'the client ends with the last answer',
      'kill-resume': 'the recorder has one connection',
      'other-model': 'each agent has another method for it',
      ...acp.cannot,
    },
  }
}

function storedForm(form: FactForm = {}, { storeLacks = [] }: AcpMode): FactForm {
  return { ...form, lacks: [...(form.lacks ?? []), ...storeLacks] }
}

/** The time that a session may take. */
const SESSION_LIMIT_MS = 90_000

/** Sends the prompts of a session over one connection, and keeps both directions. */
async function recordAcp(
  session: SessionStart,
  program: RecordedProgram,
  acp: AcpMode,
): Promise<SessionRecord> {
  const { home, work, scenario, silence } = session
  const [first] = scenario.runs
  const running = start(acp.command(session), {
    cwd: work,
    env: {
      ...BASE_ENVIRONMENT,
      HOME: home,
      ...(first && program.environment({ ...session, run: first, resumes: false })),
      ...acp.environment,
    },
    limitMs: SESSION_LIMIT_MS,
    input: 'pipe',
  })
  const kind = isRefused(scenario) ? 'reject_once' : 'allow_once'
  const client = connect(running, (request) => answerOf(request, kind))
  await client.call('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'recorder', version: '1.0.0' },
  })
  if (acp.authMethod !== undefined) await client.call('authenticate', { methodId: acp.authMethod })
  const { sessionId } = await client.call('session/new', { cwd: work, mcpServers: [] })
  if (acp.modeId !== undefined && !isRefused(scenario))
    await client.call('session/set_mode', { sessionId, modeId: acp.modeId })
  const turns: Promise<unknown>[] = []
  for (const [at, run] of scenario.runs.entries()) {
    const { stop } = run
    if (stop === 'kill') void silence.then(running.kill)
    if (stop === 'interrupt') void silence.then(() => client.notify('session/cancel', { sessionId }))
    turns.push(client.call('session/prompt', { sessionId, prompt: partsOf(run) }))
    if (scenario.runs[at + 1]?.isQueued) {
      await sleep(MILLISECONDS_BEFORE_QUEUED)
      continue
    }
    await Promise.all(turns)
    // Some updates follow the answer.
    await sleep(500)
  }
  return { files: { [`${acp.form}.ndjson`]: client.log.join('') }, notes: await endOf(running) }
}

function partsOf({ prompt, hasPicture }: Run): readonly JsonObject[] {
  const picture = { type: 'image', mimeType: 'image/png', data: PICTURE }
  return [{ type: 'text', text: prompt }, ...(hasPicture ? [picture] : [])]
}

/** Answers a request for a permission with the option of that kind. */
function answerOf({ method, params }: JsonObject, kind: string): JsonObject {
  if (method !== 'session/request_permission') return { error: { code: -32601, message: 'Method not found' } }
  const options = asArray(asObject(params).options).map(asObject)
  const option = options.find((each) => each.kind === kind) ?? options[0]
  return { result: { outcome: { outcome: 'selected', optionId: option?.optionId } } }
}
