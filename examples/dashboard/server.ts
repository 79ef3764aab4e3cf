import { spawn } from 'node:child_process'
import process from 'node:process'
import { createSessionHub } from 'agentfold/hub'
import { createFileLog, nodeHandler } from 'agentfold/node'

const log = createFileLog(process.env.SESSIONS ?? 'sessions')
export const hub = createSessionHub({
  log,
  onIssue: (id, issue) => process.stderr.write(`${id}: ${JSON.stringify(issue)}\n`),
})
export const handle = nodeHandler(hub) // createServer(handle).listen(4180, '127.0.0.1')
for await (const id of log.sessions()) await hub.pipe(id, []) // the programs of an earlier run are dead: what they did ends

/** Starts a program whose output is the session. Answers of the pages go to its input. */
export async function start(id: string, [command = '', ...options]: readonly string[]): Promise<void> {
  const child = spawn(command, options, { stdio: ['pipe', 'pipe', 'inherit'] })
  const failure = new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message)) // no such program
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : `${command} ended with ${code ?? signal}`),
    )
  })
  child.stdin.on('error', (error) => process.stderr.write(`${error}\n`)) // the program is dead
  const write = (line: object) =>
    new Promise<void>((resolve, reject) => {
      child.stdin.write(`${JSON.stringify(line)}\n`, (error) =>
        error ? reject(new Error('its input is closed')) : resolve(),
      )
    })
  const ends = [
    hub.onReply(id, write),
    hub.onPrompt(id, (content) => write({ type: 'user', message: { role: 'user', content } })),
  ]
  await hub.publish(id, [{ type: 'session:updated', facts: {} }]) // the list has it before its first output
  await hub.pipe(id, child.stdout, { failure }).finally(() => ends.map((end) => end()))
}
