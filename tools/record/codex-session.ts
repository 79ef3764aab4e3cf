import { setTimeout as sleep } from 'node:timers/promises'
import { asObject, asString, type JsonObject, parseJson } from '../../src/core/json/values.ts'
import { BASE_ENVIRONMENT, start } from './process.ts'
import type { RecordedProgram, SessionRecord, SessionStart } from './program.ts'
import { codex, codexFile } from './programs/codex.ts'
import { connect, endOf } from './rpc-client.ts'
import { MILLISECONDS_BEFORE_QUEUED, type Run } from './script.ts'
import { PICTURE_URL } from './server/demo-tools.ts'
import { UNKNOWN_TOOL } from './tools.ts'

/** Codex's app-server, as editors run it. */
export const codexAppServer: RecordedProgram = {
  ...codex,
  name: 'codex-rpc',
  record: recordAppServer,
  forms: (scenario) => ({
    rpc: { lacks: ['call-order'], lacksCalls: [UNKNOWN_TOOL] },
    store: codex.forms(scenario).store ?? {},
  }),
  cannot: { ...codex.cannot, 'kill-resume': 'the recorder has one connection' },
}

/** The time that a session may take. */
const SESSION_LIMIT_MS = 90_000

/** Sends the prompts of a session over one connection, and keeps both directions. */
async function recordAppServer(session: SessionStart): Promise<SessionRecord> {
  const { home, work, installed, scenario, silence } = session
  const running = start([codexFile(installed), 'app-server'], {
    cwd: work,
    env: { ...BASE_ENVIRONMENT, HOME: home, CODEX_HOME: `${home}/.codex`, MODEL_KEY: 'none' },
    limitMs: SESSION_LIMIT_MS,
    input: 'pipe',
  })
  const client = connect(running, () => ({ error: { code: -32601, message: 'Method not found' } }), {})
  await client.call('initialize', {
    clientInfo: { name: 'recorder', title: 'Recorder', version: '1.0.0' },
    capabilities: { experimentalApi: true },
  })
  client.notify('initialized')
  const started = await client.call('thread/start', {
    cwd: work,
    approvalPolicy: 'never',
    sandbox: 'danger-full-access',
  })
  let threadId = asString(asObject(started.thread).id)
  const turnIds: unknown[] = []
  const inputOf = ({ prompt, hasPicture }: Run) => [
    { type: 'text', text: prompt, text_elements: [] },
    ...(hasPicture ? [{ type: 'image', url: PICTURE_URL }] : []),
  ]
  for (const [at, run] of scenario.runs.entries()) {
    const { stop } = run
    if (run.isQueued) continue
    if (run.undoes) await client.call('thread/revert', { threadId, beforeTurnId: turnIds.at(-1) })
    if (run.forks) {
      const forked = await client.call('thread/fork', { threadId })
      threadId = asString(asObject(forked.thread).id)
    }
    const ended = client.next(
      ({ method, params }) => method === 'turn/completed' && asObject(params).threadId === threadId,
    )
    const { turn } = await client.call('turn/start', {
      threadId,
      input: inputOf(run),
      ...(run.isOtherModel && { model: 'gpt-5.4' }),
    })
    const turnId = asObject(turn).id
    turnIds.push(turnId)
    if (stop === 'kill') void silence.then(running.kill)
    if (stop === 'agent') void silence.then(() => client.call('turn/interrupt', lastTurn(client.log)))
    if (stop === 'interrupt') void silence.then(() => client.call('turn/interrupt', { threadId, turnId }))
    const next = scenario.runs[at + 1]
    if (next?.isQueued) {
      await sleep(MILLISECONDS_BEFORE_QUEUED)
      await client.call('turn/steer', { threadId, input: inputOf(next), expectedTurnId: turnId })
    }
    await ended
    // Some messages follow the end.
    await sleep(500)
  }
  return { files: { 'rpc.ndjson': client.log.join('') }, notes: await endOf(running) }
}

/** Returns the turn of the last piece of a text. */
function lastTurn(log: readonly string[]): JsonObject {
  const last = log.findLast((line) => line.includes('"method":"item/agentMessage/delta"')) ?? ''
  const { threadId, turnId } = asObject(asObject(asObject(parseJson(last)).msg).params)
  return { threadId, turnId }
}
