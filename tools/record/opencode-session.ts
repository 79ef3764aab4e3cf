import { setTimeout as sleep } from 'node:timers/promises'
import { asArray, asObject, asString } from '../../src/core/json/values.ts'
import { BASE_ENVIRONMENT, start } from './process.ts'
import type { SessionRecord, SessionStart } from './program.ts'
import { MILLISECONDS_BEFORE_QUEUED, PICTURE_FILE, type Run, stoppedAgents } from './script.ts'
import { PICTURE_URL } from './server/demo-tools.ts'

/** How a fork of OpenCode starts. */
export interface OpencodeServer {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/** The time that a session with its server may take. */
const SESSION_LIMIT_MS = 90_000

/** Runs the prompts of a session through the server of OpenCode or a fork. The stream is that of `GET /event`. */
export async function recordOpencode(session: SessionStart, program: OpencodeServer): Promise<SessionRecord> {
  const { home, work, scenario, silence } = session
  const server = start([...program.command, 'serve', '--hostname', '127.0.0.1', '--port', '0'], {
    cwd: work,
    env: { ...BASE_ENVIRONMENT, HOME: home, ...program.environment },
    limitMs: SESSION_LIMIT_MS,
  })
  const url = await addressOf(server)
  const ended = server.finished.then(() => undefined)
  const events = await followEvents(url)
  const post = async (path: string, body: object = {}) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return asObject(await response.json())
  }
  let id = asString((await post('/session')).id) ?? ''
  const get = async (path: string) => asArray(await (await fetch(`${url}${path}`)).json()).map(asObject)
  const stopAgent = async () => {
    const [silent] = stoppedAgents(scenario)
    const children = await get(`/session/${id}/children`)
    const child = children.find(({ title }) => asString(title)?.startsWith(`Work of ${silent} `))
    await post(`/session/${child?.id}/abort`)
  }
  const turns: Promise<unknown>[] = []
  for (const [at, run] of scenario.runs.entries()) {
    const { prompt, stop } = run
    if (stop === 'kill') void silence.then(server.kill)
    if (stop === 'interrupt') void silence.then(() => post(`/session/${id}/abort`))
    if (stop === 'agent') void silence.then(stopAgent)
    if (run.undoes) {
      const asked = (await get(`/session/${id}/message`)).map(({ info }) => asObject(info))
      await post(`/session/${id}/revert`, { messageID: asked.findLast(({ role }) => role === 'user')?.id })
    }
    if (run.forks) id = asString((await post(`/session/${id}/fork`)).id) ?? ''
    const turn =
      prompt === '/compact'
        ? post(`/session/${id}/summarize`, { providerID: 'script', modelID: 'script' })
        : post(`/session/${id}/message`, messageOf(run))
    turns.push(turn.catch(() => {}))
    if (scenario.runs[at + 1]?.isQueued) {
      await sleep(MILLISECONDS_BEFORE_QUEUED)
      continue
    }
    await Promise.race([Promise.all(turns), ended])
    await idle(events)
  }
  const files = await exportsOf(url).catch(() => ({}))
  server.kill()
  const { errors, end } = await server.finished
  return {
    files: { 'stream.ndjson': events.lines.join(''), ...files },
    notes: `${end} ${errors.slice(0, 300)}`,
  }
}

function messageOf({ prompt, hasPicture, isOtherModel }: Run) {
  const picture = { type: 'file', mime: 'image/png', filename: PICTURE_FILE, url: PICTURE_URL }
  return {
    parts: [{ type: 'text', text: prompt }, ...(hasPicture ? [picture] : [])],
    ...(isOtherModel && { model: { providerID: 'script', modelID: 'other' } }),
  }
}

async function addressOf({ child, finished }: ReturnType<typeof start>): Promise<string> {
  const address = new Promise<string>((resolve) => {
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)
      if (found) resolve(found[0])
    })
  })
  const early = finished.then(({ errors }) =>
    Promise.reject(new Error(`the server ended: ${errors.slice(0, 300)}`)),
  )
  return Promise.race([address, early])
}

interface Events {
  readonly lines: string[]
}

/** Keeps each event of the server as a line. */
async function followEvents(url: string): Promise<Events> {
  const { body } = await fetch(`${url}/event`)
  const lines: string[] = []
  const read = async () => {
    let text = ''
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const events = text.split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const data = event.replace(/^data: ?/, '')
        if (!data.includes('"server.heartbeat"')) lines.push(`${data}\n`)
      }
    }
  }
  // The end of the server ends its events.
  read().catch(() => {})
  return { lines }
}

/** Waits until no more events come: agents in the background may still work. */
async function idle({ lines }: Events): Promise<void> {
  let before = -1
  while (before !== lines.length) {
    before = lines.length
    await sleep(2500)
  }
}

/** Returns each session as `opencode export` writes it. */
async function exportsOf(url: string): Promise<Readonly<Record<string, string>>> {
  const get = async (path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json()
  const files: Record<string, string> = {}
  for (const session of asArray(await get('/session'))) {
    const info = asObject(session)
    const messages = await get(`/session/${info.id}/message`)
    files[`export/${info.id}.json`] = JSON.stringify({ info, messages })
  }
  return files
}
