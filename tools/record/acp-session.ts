import { setTimeout as sleep } from 'node:timers/promises'
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../src/json/values.ts'
import { BASE_ENVIRONMENT, start } from './process.ts'
import type { RecordedProgram, SessionRecord, SessionStart } from './program.ts'
import { innerAgents, isRefused } from './script.ts'

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
  /** Whether the form has nothing of agents that other agents have started but their calls. */
  readonly lacksInnerAgents?: true
  /** The name of the stored session's form. */
  readonly store: 'store' | 'acp-store'
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
        ...(acp.lacksInnerAgents && { lacksAgents: innerAgents(scenario) }),
      },
      [acp.store]: program.forms(scenario).store ?? {},
    }),
    cannot: {
      ...Object.fromEntries(Object.entries(program.cannot).filter(([name]) => !acp.can.includes(name))),
      background: 'the client ends with the last answer',
      'kill-resume': 'the recorder has one connection',
      ...acp.cannot,
    },
  }
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
  const [run] = scenario.runs
  const running = start(acp.command(session), {
    cwd: work,
    env: {
      ...BASE_ENVIRONMENT,
      HOME: home,
      ...(run && program.environment({ ...session, run, resumes: false })),
      ...acp.environment,
    },
    limitMs: SESSION_LIMIT_MS,
    input: 'pipe',
  })
  const client = connect(running, isRefused(scenario) ? 'reject_once' : 'allow_once')
  await client.call('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'recorder', version: '1.0.0' },
  })
  if (acp.authMethod !== undefined) await client.call('authenticate', { methodId: acp.authMethod })
  const { sessionId } = await client.call('session/new', { cwd: work, mcpServers: [] })
  if (acp.modeId !== undefined && !isRefused(scenario))
    await client.call('session/set_mode', { sessionId, modeId: acp.modeId })
  for (const { prompt, stop } of scenario.runs) {
    if (stop === 'kill') void silence.then(running.kill)
    if (stop === 'interrupt') void silence.then(() => client.notify('session/cancel', { sessionId }))
    await client.call('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] })
    // Some updates follow the answer.
    await sleep(500)
  }
  running.child.stdin?.end()
  await Promise.race([running.finished, sleep(2500)])
  running.kill()
  const { errors, end } = await running.finished
  return { files: { [`${acp.form}.ndjson`]: client.log.join('') }, notes: `${end} ${errors.slice(0, 300)}` }
}

interface Client {
  /** `{ dir, at, msg }`: `in` comes from the program, `at` is in ms since the start. */
  readonly log: readonly string[]
  /** Returns the result. It is empty for an error, and if the program ends. */
  readonly call: (method: string, params: JsonObject) => Promise<JsonObject>
  readonly notify: (method: string, params: JsonObject) => void
}

/** Speaks with the program. It answers each request for a permission with the option of that kind. */
function connect({ child, finished }: ReturnType<typeof start>, kind: string): Client {
  const log: string[] = []
  const began = Date.now()
  const waiting = new Map<unknown, (result: JsonObject) => void>()
  const note = (dir: 'in' | 'out', msg: JsonObject) =>
    log.push(`${JSON.stringify({ dir, at: Date.now() - began, msg })}\n`)
  const send = (message: JsonObject) => {
    const msg = { jsonrpc: '2.0', ...message }
    note('out', msg)
    child.stdin?.write(`${JSON.stringify(msg)}\n`)
  }
  const receive = (msg: JsonObject) => {
    note('in', msg)
    if (msg.method === undefined) return waiting.get(msg.id)?.(asObject(msg.result))
    if (msg.id === undefined) return
    if (msg.method !== 'session/request_permission')
      return send({ id: msg.id, error: { code: -32601, message: 'Method not found' } })
    const options = asArray(asObject(msg.params).options).map(asObject)
    const option = options.find((each) => each.kind === kind) ?? options[0]
    send({ id: msg.id, result: { outcome: { outcome: 'selected', optionId: option?.optionId } } })
  }
  const decoder = new TextDecoder()
  let rest = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = asObject(parseJson(line))
      if (asString(message.jsonrpc) !== undefined) receive(message)
    }
  })
  const ended = finished.then(() => ({}))
  let id = 0
  return {
    log,
    notify: (method, params) => send({ method, params }),
    call: (method, params) => {
      id += 1
      const own = id
      const answer = new Promise<JsonObject>((resolve) => waiting.set(own, resolve))
      send({ id: own, method, params })
      return Promise.race([answer, ended])
    },
  }
}
