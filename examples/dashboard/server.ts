import { spawn } from 'node:child_process'
import process from 'node:process'
import { createSessionHub } from 'agentfold/hub'
import { createFileLog, nodeHandler } from 'agentfold/node'

const log = createFileLog(process.env.SESSIONS ?? 'sessions')
export const hub = createSessionHub({ log })
export const handle = nodeHandler(hub) // createServer(handle).listen(4180)

// The programs of an earlier run are dead: what they did, and what they waited for, ends.
for await (const id of log.sessions()) await hub.pipe(id, [])

/** Starts a program whose output is the session. Answers of the pages go to its input. */
export async function start(id: string, [command = '', ...options]: readonly string[]): Promise<void> {
  const child = spawn(command, options, { stdio: ['pipe', 'pipe', 'inherit'] })
  for (const part of [child, child.stdin]) part.on('error', (error) => process.stderr.write(`${error}\n`)) // no such program, or it is dead
  const end = hub.onReply(id, (reply) => child.stdin.write(`${JSON.stringify(reply)}\n`))
  const { issues } = await hub.pipe(id, child.stdout)
  for (const issue of issues) process.stderr.write(`${id}: ${JSON.stringify(issue)}\n`)
  end()
}
