import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, expect, it } from 'vitest'
import { createSessionHub, type SessionHub } from '../../src/entries/hub.ts'
import { createReader, pendingRequests, sessionStatus } from '../../src/entries/index.ts'
import { declareNotes, defineSource, type Source, TranslationContext } from '../../src/entries/source-kit.ts'
import { createMemoryLog } from '../../src/server/log/memory-log.ts'
import { examples, newExampleFolder } from './pages.ts'

type Run = (hub: SessionHub, id: string, source: Source, start: () => ChildProcess) => Promise<void>

const folder = newExampleFolder()
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'own-source.ts')
writeFileSync(file, examples.find(({ code }) => code.includes('function run('))?.code ?? '')
const { run }: { run: Run } = await import(file)

/** Reads lines with a prompt, a question or an end. Like most, it starts the turn with each line. */
const source = defineSource({
  notes: declareNotes({ source: 'asker', version: 1 }, {}),
  begin: (session) => new TranslationContext(session),
  open() {},
  translate(message, context) {
    const { id, user, ask, done }: Record<string, unknown> = Object(message)
    if (done === true) return context.turn.end({})
    if (typeof id !== 'string') return context.reportUnknown('unknown-message', 'other')
    context.addMissingFacts({ program: 'asker' })
    context.turn.start()
    if (typeof user === 'string')
      context.upsert('main', { id, type: 'user_message', status: 'complete', content: user })
    if (typeof ask === 'string')
      context.upsert('main', { id, type: 'request', kind: 'permission', status: 'pending', title: ask })
  },
  end: (context) => context.endInput(),
})

/** A program that asks, and ends its turn when it gets words. */
const start = () =>
  spawn(process.execPath, [
    '-e',
    `for (const line of [{ id: 'u2', user: 'Go on' }, { id: 'q2', ask: 'Run?' }]) console.log(JSON.stringify(line))
    process.stdin.once('data', () => { console.log('{"done":true}'); process.stdin.destroy() })`,
  ])

it('an own source in a hub: a program that does not exist fails alone, and one without an input takes no prompt', async () => {
  const hub = createSessionHub()
  await expect(run(hub, 's', source, () => spawn('no-such-program'))).rejects.toThrow('ENOENT')
  const child = spawn(
    process.execPath,
    ['-e', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const next = run(hub, 's', source, () => child)
  await once(child, 'spawn')
  await expect(hub.prompt('s', 'Go')).rejects.toThrow('the program takes no input')
  child.kill()
  await next
})

const asked = [
  { id: 'u1', user: 'Hi' },
  { id: 'q1', ask: 'Run?' },
]

it('an own source in a hub: a person answers, and a killed process leaves nothing open to the next one', async () => {
  // The server of the first process is killed with it, so nothing ends.
  const log = createMemoryLog()
  const reader = createReader(source)
  for (const line of asked) await createSessionHub({ log }).publish('s', reader.push(line))

  const hub = createSessionHub({ log })
  const next = run(hub, 's', source, start)
  for await (const state of hub.follow('s')) {
    const open = pendingRequests(state).map(({ block }) => block.id)
    if (!open.includes('q2')) continue
    expect(open).toEqual(['q2'])
    break
  }
  await hub.prompt('s', 'Yes')
  await next
  expect(sessionStatus((await hub.state('s')) ?? expect.fail('no state'))).toBe('finished')
})
