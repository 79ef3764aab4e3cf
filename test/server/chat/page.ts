import { AbstractChat as Chat6, type UIMessage as Message6, DefaultChatTransport as Transport6 } from 'ai'
import {
  AbstractChat as Chat7,
  type UIMessage as Message7,
  DefaultChatTransport as Transport7,
} from 'ai-next'
import { afterEach, beforeEach, vi } from 'vitest'
import { type SessionChat, sessionChat, uiMessageResponse } from '../../../src/entries/ai-sdk.ts'
import type { SessionHub } from '../../../src/entries/hub.ts'

/** The state of a chat that renders nothing. */
function plainState<Message>() {
  const messages: Message[] = []
  return {
    status: 'ready' as const,
    error: undefined,
    messages,
    pushMessage(message: Message) {
      this.messages.push(message)
    },
    popMessage() {
      this.messages.pop()
    },
    replaceMessage(at: number, message: Message) {
      this.messages.splice(at, 1, message)
    },
    snapshot: <Value>(value: Value): Value => structuredClone(value),
  }
}

type Fetch = typeof globalThis.fetch
const API = 'http://chat.example/api/chat'
class Chat6Page extends Chat6<Message6> {
  constructor(fetch: Fetch) {
    super({ id: 's', transport: new Transport6({ api: API, fetch }), state: plainState<Message6>() })
  }
}
class Chat7Page extends Chat7<Message7> {
  constructor(fetch: Fetch) {
    super({ id: 's', transport: new Transport7({ api: API, fetch }), state: plainState<Message7>() })
  }
}

/** A page of the session `s` that renders nothing. `requests` are the paths of its requests, with the status of the answers. */
export class Page {
  readonly chat: Chat6Page | Chat7Page
  readonly session: SessionChat
  readonly requests: string[] = []
  readonly reasons: string[] = []
  /** Resolves when a request arrives at the server, unless the page ends it before. */
  network: Promise<void> = Promise.resolve()
  /** Answers instead of the server. */
  proxy: (() => Response) | undefined
  readonly #end: () => void

  constructor(hub: SessionHub, version: 6 | 7 = 6) {
    const fetch: Fetch = async (input, init) => {
      const request = new Request(input, init)
      await this.network
      request.signal.throwIfAborted()
      const response = this.proxy?.() ?? (await uiMessageResponse(hub, 's', { request, version }))
      this.requests.push(`${request.url.slice(API.length)} ${response.status}`)
      return response
    }
    this.chat = version === 6 ? new Chat6Page(fetch) : new Chat7Page(fetch)
    this.session = sessionChat(this.chat, { api: API, fetch })
    this.#end = this.session.subscribe(() => {
      const { reason } = this.session.get()
      if (reason !== undefined) this.reasons.push(reason)
    })
  }

  async close(): Promise<void> {
    this.#end()
    await this.chat.stop()
  }
}

/** Gives each test a clock for timers alone: a page loads again when the test, or `vi.waitFor`, moves it. */
export function fakeTimers(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
  afterEach(() => void vi.useRealTimers())
}

/** Resolves when everything has run that waits for no clock. */
export async function ticks(): Promise<void> {
  for (let each = 0; each < 10; each += 1) await new Promise(setImmediate)
}

/** Waits for the assertion as `vi.waitFor` does, but does not move the clock. */
export async function eventually(assertion: () => void | Promise<void>): Promise<void> {
  for (let left = 100; left > 0; left -= 1)
    try {
      return await assertion()
    } catch {
      await ticks()
    }
  return assertion()
}
