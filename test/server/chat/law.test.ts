import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { asObject } from '../../../src/core/json/values.ts'
import type { BlockOf } from '../../../src/core/state/block.ts'
import { toUIMessages } from '../../../src/entries/ai-sdk.ts'
import { createSessionHub } from '../../../src/entries/hub.ts'
import { pendingRequests, type SessionEvent } from '../../../src/entries/index.ts'
import { runs } from '../../depth.ts'
import { fakeTimers, Page, ticks } from './page.ts'

type Block = Extract<SessionEvent, { type: 'block:upsert' }>['block']
type Text = Omit<BlockOf<'assistant_text' | 'thinking'>, 'conversationId'>

const ACTS = [
  'say',
  'finish',
  'call',
  'result',
  'spawn',
  'end',
  'idle',
  'user',
  'answer',
  'approve',
  'deny',
  'prompt',
] as const
const LISTENERS = ['takes', 'fails', 'waits', 'goesOn'] as const
const steps = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    pick: fc.nat(11),
    /** How the listener takes what the step sends. */
    listener: fc.constantFrom(...LISTENERS),
    /** Whether the next step is in the same state. */
    isWithNext: fc.boolean(),
  }),
  { minLength: 5, maxLength: 25 },
)
type Step = (typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never)[number]

/** Waits until the program hears what the page sends: behind a request without a response, after two seconds. */
async function sent(heard: Promise<void>): Promise<void> {
  let isHeard = false
  const noted = heard.then(() => {
    isHeard = true
  })
  await ticks()
  if (!isHeard) await vi.advanceTimersByTimeAsync(2_000)
  return noted
}

/** A session with its program, and a page that shows it. */
class World {
  readonly hub = createSessionHub()
  readonly page: Page
  readonly #version: 6 | 7
  /** What each conversation has open. */
  readonly #open = new Map<string, { text: Text | undefined; calls: string[] }>()
  /** The requests that the page has answered: it need not show yet that the session has the answer. */
  readonly #own = new Set<string>()
  #events: SessionEvent[] = []
  #count = 0
  #listener: Step['listener'] = 'takes'
  #heard = (): void => {}
  #release = (): void => {}
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve
  })

  constructor(version: 6 | 7) {
    this.#version = version
    this.#open.set('main', { text: undefined, calls: [] })
    this.hub.onPrompt('s', async (prompt) => this.#listen([userSays(prompt)]))
    this.hub.onReply('s', async () => {
      await this.#listen([])
      if (this.#listener === 'waits') await this.#released
    })
    this.page = new Page(this.hub, version)
  }

  async #listen(first: readonly SessionEvent[]): Promise<void> {
    const listener = this.#listener
    this.#heard()
    if (listener === 'fails') throw new Error('boom')
    this.#events = [...first, ...this.#events]
    if (listener === 'goesOn') this.#say('main')
    await this.#publish()
  }

  async take({ act, pick, listener, isWithNext }: Step): Promise<void> {
    this.#count += 1
    this.#listener = listener
    const isOfPage = act === 'approve' || act === 'deny' || act === 'prompt'
    if (act === 'answer' || (isOfPage && act !== 'prompt')) await this.#publish()
    if (act === 'answer' || isOfPage) await this.#decide(act, pick)
    else this.#change(act, pick)
    if (isWithNext && !isOfPage) return
    await this.#publish()
    await this.isShown()
  }

  async #publish(): Promise<void> {
    const events = this.#events.splice(0)
    if (events.length > 0) await this.hub.publish('s', events)
  }

  /** Resolves when the program hears what the page sends: what comes before that may be in the messages or in the stream. */
  #isHeard(): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = resolve
    })
  }

  async #decide(act: Step['act'], pick: number): Promise<void> {
    const { session } = this.page
    if (act === 'prompt') {
      await this.isShown()
      const heard = this.#isHeard()
      session.write(`prompt ${this.#count}`)
      void session.send()
      return sent(heard)
    }
    const state = await this.hub.state('s')
    const asked = (state ? pendingRequests(state) : []).map(({ block }) => block.id)
    const id = asked[pick % asked.length]
    if (id === undefined) return
    const heard = this.#isHeard()
    if (act === 'answer') {
      void this.hub.answer('s', id, 'yes').catch(() => {})
      return heard
    }
    await this.isShown()
    if (this.#listener !== 'fails') this.#own.add(id)
    void session.answer(id, act === 'approve')
    return sent(heard)
  }

  #change(act: Step['act'], pick: number): void {
    const ids = [...this.#open.keys()]
    const who = ids[pick % ids.length] ?? 'main'
    const open = this.#open.get(who)
    if (!open) return
    if (act === 'say') this.#say(who)
    else if (act === 'finish' && open.text) {
      this.#add(who, { ...open.text, status: 'complete' })
      open.text = undefined
    } else if (act === 'call') {
      const id = `call ${this.#count}`
      open.calls.push(id)
      this.#add(who, {
        id,
        type: 'tool_use',
        status: 'pending',
        toolName: 'Bash',
        toolUseId: id,
        input: {},
        messageId: 'm',
      })
      if (pick % 3 > 0) this.#add(who, { ...REQUEST, id: `r${this.#count}`, toolUseId: id })
    } else if (act === 'result') {
      const id = open.calls.shift()
      if (id)
        this.#add(who, {
          id: `${id}:result`,
          type: 'tool_result',
          status: 'complete',
          toolUseId: id,
          output: 'ok',
          isError: false,
        })
    } else if (act === 'spawn') {
      const id = `agent ${this.#count}`
      this.#open.set(id, { text: undefined, calls: [] })
      this.#events.push({ type: 'subagent:spawned', toolUseId: id, prompt: 'Look.' })
    } else if (act === 'end' && who !== 'main') {
      this.#open.delete(who)
      this.#events.push({ type: 'subagent:completed', toolUseId: who, status: 'completed' })
    } else if (act === 'idle') {
      this.#open.set('main', { text: undefined, calls: [] })
      this.#events.push({ type: 'session:idle', outcome: 'finished' })
    } else if (act === 'user') this.#events.push(userSays(`other ${this.#count}`))
  }

  #say(who: string): void {
    const open = this.#open.get(who)
    if (!open) return
    const id = `t${this.#count}`
    const { text } = open
    if (text) {
      this.#events.push({ type: 'block:delta', blockId: text.id, delta: id, conversationId: who })
      open.text = { ...text, content: `${text.content}${id}` }
      return
    }
    const type = this.#count % 2 === 0 ? 'assistant_text' : 'thinking'
    open.text = { id, type, status: 'pending', content: id, messageId: 'm' }
    this.#add(who, open.text)
  }

  #add(who: string, block: Block): void {
    this.#events.push({ type: 'block:upsert', conversationId: who, block })
  }

  async isShown(): Promise<void> {
    await vi.waitFor(
      async () => {
        // The pause between two loads.
        vi.advanceTimersByTime(300)
        const state = await this.hub.state('s')
        const messages = state ? toUIMessages(state, { version: this.#version }) : []
        expect(this.#normal(this.page.chat.messages)).toEqual(this.#normal(messages))
      },
      { interval: 1, timeout: 400 },
    )
    expect(this.page.reasons.filter((each) => !each.includes('boom'))).toEqual([])
  }

  /** Leaves out what the page has before the session: its prompt and its own approvals. Version 6 streams no answers to approvals. */
  #normal(messages: unknown): unknown {
    const json = JSON.stringify(messages, (_, value: unknown) => {
      const { role, type, id, state, approval, ...rest } = asObject(value)
      if (role === 'user') return { role, parts: rest.parts }
      if (type === 'data-request' && this.#own.has(String(id))) return null
      const given = asObject(approval)
      if (!this.#own.has(String(given.id)) && !(this.#version === 6 && 'approved' in given)) return value
      return { ...rest, type, state: String(state).replace(/^approval-.*/, 'input-available') }
    })
    return JSON.parse(json)
  }

  async close(): Promise<void> {
    this.#release()
    await this.page.close()
  }
}

const REQUEST = {
  type: 'request',
  status: 'pending',
  kind: 'permission',
  title: 'Bash',
  options: [
    { id: 'yes', label: 'Yes' },
    { id: 'no', label: 'No' },
  ],
} as const

const userSays = (content: string): SessionEvent => ({
  type: 'block:upsert',
  block: { id: content, type: 'user_message', status: 'complete', content },
})

fakeTimers()

it.each([6, 7] as const)('a page of version %s shows each state of the session', async (version) => {
  await fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const world = new World(version)
      try {
        for (const step of each) await world.take(step)
      } finally {
        await world.close()
      }
    }),
    { numRuns: runs(160) },
  )
})
