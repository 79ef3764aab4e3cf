import { setTimeout as sleep } from 'node:timers/promises'
import { asObject, type JsonObject, parseJson } from '../../src/core/json/values.ts'
import type { start } from './process.ts'

/** A client of a program that speaks JSON-RPC on its standard input and output. */
export interface RpcClient {
  /** `{ dir, at, msg }`: `in` comes from the program, `at` is in ms since the start. */
  readonly log: readonly string[]
  /** Returns the result. It is empty for an error, and if the program ends. */
  readonly call: (method: string, params: JsonObject) => Promise<JsonObject>
  readonly notify: (method: string, params?: JsonObject) => void
  /** Resolves with the next message of the program that passes the test, and if the program ends. */
  readonly next: (isWanted: (message: JsonObject) => boolean) => Promise<JsonObject>
}

type Running = ReturnType<typeof start>

/**
 * Speaks with the program. `answer` returns the result or the error of each request that the program makes. `head` is in each message: Codex's own
 * clients leave out the version of JSON-RPC, as it does.
 */
export function connect(
  { child, finished }: Running,
  answer: (request: JsonObject) => JsonObject,
  head: JsonObject = { jsonrpc: '2.0' },
): RpcClient {
  const log: string[] = []
  const began = Date.now()
  const waiting = new Map<unknown, (result: JsonObject) => void>()
  const wanted = new Set<(message: JsonObject) => void>()
  const note = (dir: 'in' | 'out', msg: JsonObject) =>
    log.push(`${JSON.stringify({ dir, at: Date.now() - began, msg })}\n`)
  const send = (message: JsonObject) => {
    const msg = { ...head, ...message }
    note('out', msg)
    child.stdin?.write(`${JSON.stringify(msg)}\n`)
  }
  const receive = (msg: JsonObject) => {
    note('in', msg)
    for (const see of wanted) see(msg)
    if (msg.method === undefined) return waiting.get(msg.id)?.(asObject(msg.result))
    if (msg.id !== undefined) send({ id: msg.id, ...answer(msg) })
  }
  const decoder = new TextDecoder()
  let rest = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = asObject(parseJson(line))
      if (isMessage(message)) receive(message)
    }
  })
  const ended = finished.then(() => ({}))
  let id = 0
  return {
    log,
    notify: (method, params) => send({ method, ...(params && { params }) }),
    call: (method, params) => {
      id += 1
      const own = id
      const result = new Promise<JsonObject>((resolve) => waiting.set(own, resolve))
      send({ id: own, method, params })
      return Promise.race([result, ended])
    },
    next: (isWanted) => {
      const found = new Promise<JsonObject>((resolve) => {
        wanted.add((message) => isWanted(message) && resolve(message))
      })
      return Promise.race([found, ended])
    },
  }
}

/** Programs may print lines of their own between the messages. */
function isMessage({ jsonrpc, method, id, result, error }: JsonObject): boolean {
  if (jsonrpc !== undefined || method !== undefined) return true
  return id !== undefined && (result !== undefined || error !== undefined)
}

/** Closes the input of the program, and ends it after a while. Returns how it ended. */
export async function endOf(running: Running): Promise<string> {
  running.child.stdin?.end()
  await Promise.race([running.finished, sleep(2500)])
  running.kill()
  const { errors, end } = await running.finished
  return `${end} ${errors.slice(0, 300)}`
}
