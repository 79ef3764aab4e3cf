import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createSessionHub, type SessionHub } from 'agentfold/hub'
import { createFileLog, nodeHandler } from 'agentfold/node'

const log = createFileLog(process.env.SESSIONS ?? 'sessions')
const report = (id: string, problem: unknown) =>
  process.stderr.write(`${id}: ${problem instanceof Error ? problem : JSON.stringify(problem)}\n`)
export const hub: SessionHub = createSessionHub({
  log,
  onIssue: report,
  exists: async (id) => (await hub.state(id)) !== undefined,
})
export const handle = nodeHandler(hub)
for await (const id of log.sessions()) await hub.pipe(id, []).catch((error) => report(id, error)) // the programs of an earlier run are dead: what they did ends

/** Starts a program whose output is the session. Answers of the pages go to its input. */
export async function start(id: string, [command = '', ...options]: readonly string[]): Promise<void> {
  const child = spawn(command, options, { stdio: ['pipe', 'pipe', 'inherit'] })
  const failure = once(child, 'close').then(([code, signal]) =>
    code === 0 ? undefined : `${command} ended with ${code ?? signal}`,
  )
  child.stdin.on('error', () => {}) // the program is dead: `write` says so
  const write = (line: object) =>
    new Promise<void>((resolve, reject) =>
      child.stdin.write(`${JSON.stringify(line)}\n`, (error) =>
        error ? reject(new Error('its input is closed')) : resolve(),
      ),
    )
  const ends = [
    hub.onReply(id, write),
    hub.onPrompt(id, (content) => write({ type: 'user', message: { role: 'user', content } })),
  ]
  const piped = hub.pipe(id, child.stdout, { failure, architecture: 'claude-sdk' }) // at once: Node drops what a dead child has said
  await Promise.all([piped, hub.publish(id, [{ type: 'session:updated', facts: {} }])]).finally(() =>
    ends.map((end) => end()),
  )
}
