import { asArray, asString, isObject, parseJson } from '../../core/json/values.ts'
import { SESSION_STATUSES, type SessionStatus } from '../../core/selectors/status.ts'
import { MAIN } from '../../core/state/session.ts'
import { callAllOfConnection, Listeners } from '../../core/store/listeners.ts'
import type { SessionUIMessage } from '../../sinks/ai-sdk/messages/ui-message.ts'
import { isFinalRefusal } from '../hub/http.ts'
import { onAbort, Wake } from '../signals.ts'

/** The parts of `Chat` of `@ai-sdk/react`, or of another `AbstractChat` of `ai`, that `sessionChat` needs. */
export interface AISDKChat {
  get messages(): readonly { readonly role: string }[]
  set messages(messages: SessionUIMessage[])
  readonly error: Error | undefined
  generateId(): string
  stop(): Promise<void>
  clearError(): void
  resumeStream(options: { headers: Record<string, string> }): Promise<void>
  sendMessage(message?: SessionUIMessage, options?: { body: object }): Promise<void>
  /** Version 5 has none. */
  addToolApprovalResponse?(approval: { id: string; approved: boolean }): void | PromiseLike<void>
}

/** The options of `sessionChat`. */
export interface SessionChatOptions {
  /** The address of the session, as the transport of the chat has it. The default is `/api/chat`. */
  readonly api?: string
  /** Loads the messages, for example with headers. The default is the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

/** The facts of a session's page that its chat does not have. */
export interface SessionChatState {
  /** The words in the input. Those of a prompt return to it if the session does not take it. */
  readonly text: string
  /** The prompts of this page that neither the session nor the chat shows. */
  readonly waiting: readonly SessionUIMessage[]
  /** The status as `sessionStatus` returns it, or `lost` if the messages did not load: after a status 4xx, until the next prompt. */
  readonly status: SessionStatus | 'lost'
  /** The reason why the last prompt, approval, connection or turn failed. */
  readonly reason: string | undefined
}

/** A page's connection of a chat to its session. The functions need no `this`. */
export interface SessionChat {
  /** Returns the state: the same object until a fact changes. */
  readonly get: () => SessionChatState
  /** Calls the listener after each change, and follows the session as long as there is a listener. Returns a function that ends it. */
  readonly subscribe: (listener: () => void) => () => void
  /** Replaces the words in the input. */
  readonly write: (text: string) => void
  /**
   * Sends the words in the input as a prompt. Resolves when its answer is over, or waits behind another one. Pass the
   * `submit` event of a form, so that the browser does not send the form.
   */
  readonly send: (event?: { preventDefault(): void }) => Promise<void>
  /** Answers the request for a permission with that id, of main or of an agent. Resolves when what follows is shown. */
  readonly answer: (id: string, approved: boolean) => Promise<void>
}

/**
 * Keeps a chat of the AI SDK up with its session: it loads the messages of `uiMessageResponse` and resumes the stream, at
 * most once in 300 ms, and sends prompts and approvals. So the chat shows each change, also those of other pages.
 */
export function sessionChat(chat: AISDKChat, options: SessionChatOptions = {}): SessionChat {
  return new FollowedChat(chat, options)
}

/** The shortest time between two loads, in ms: an agent in the background may change the messages with each word. */
const RELOAD_MS = 300
/** The longest time between two loads that fail, in ms. */
const LONGEST_WAIT_MS = 5000

class FollowedChat implements SessionChat {
  readonly #chat: AISDKChat
  readonly #api: string
  readonly #fetch: typeof globalThis.fetch
  readonly #listeners = new Listeners()
  readonly #wake = new Wake()
  #state: SessionChatState = { text: '', waiting: [], status: 'idle', reason: undefined }
  /** The prompts that the session does not show yet. The chat shows them until it has loaded the messages again. */
  #waiting: readonly SessionUIMessage[] = []
  /** The turn that the page has loaded last. */
  #turn = ''
  /** The prompts that the page has loaded: a server that restarts has none for a while. Those of the first load may all be old. */
  #known: Set<string> | undefined
  /** The prompts whose words have returned to the input. */
  #returned: readonly SessionUIMessage[] = []
  /** The failure of the last prompt or approval, and its turn. The chat forgets it when it resumes. */
  #failure: { readonly turn: string; readonly reason: string } | undefined
  #sending: Promise<unknown> = Promise.resolve()
  /** Resolves when the last request has a response, has failed, or must have arrived: to stop the chat before ends it. */
  #requested: Promise<unknown> = Promise.resolve()
  readonly #responded = new Wake()
  #closed = new AbortController()

  constructor(chat: AISDKChat, { api = '/api/chat', fetch }: SessionChatOptions) {
    this.#chat = chat
    this.#api = api
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
    onResponse(chat, () => this.#responded.wake())
  }

  readonly get = (): SessionChatState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    const end = this.#listeners.subscribe(listener)
    if (this.#listeners.all().length === 1) {
      this.#closed = new AbortController()
      void this.#follow(this.#closed.signal)
    }
    return () => {
      end()
      if (this.#listeners.all().length === 0) this.#closed.abort()
    }
  }

  #set(change: Partial<SessionChatState>): void {
    this.#state = { ...this.#state, ...change }
    callAllOfConnection(this.#listeners.all())
  }

  readonly write = (text: string): void => this.#set({ text })

  readonly send = async (event?: { preventDefault(): void }): Promise<void> => {
    event?.preventDefault()
    const { text } = this.#state
    if (text.trim() === '') return
    const prompt: SessionUIMessage = {
      id: this.#chat.generateId(),
      role: 'user',
      metadata: { conversationId: MAIN },
      parts: [{ type: 'text', text }],
    }
    this.#waiting = [...this.#waiting, prompt]
    this.#returned = []
    this.#set({ text: '' })
    const error = await this.#deliver(() => this.#chat.sendMessage(prompt))
    const hasAnswer = this.#chat.messages.at(-1)?.role === 'assistant'
    const others = this.#waiting.filter((each) => each !== prompt)
    // An answer may be that of another own prompt: then the session shows which ones it has.
    if (hasAnswer ? others.length > 0 : !error) return
    this.#waiting = others
    if (!hasAnswer) this.#giveBack([prompt])
  }

  readonly answer = async (id: string, approved: boolean): Promise<void> => {
    await this.#deliver(async () => {
      const approval = { id, approved }
      const messages = [...this.#chat.messages]
      await this.#chat.addToolApprovalResponse?.(approval)
      // The chat alone finds no call of an agent.
      await this.#chat.sendMessage(undefined, { body: { approval } })
      if (this.#chat.error) Object.assign(this.#chat, { messages })
    })
  }

  /** The chat does one thing at a time, so that it first ends the wait for a change. Returns the error. */
  async #deliver(work: () => Promise<void>): Promise<Error | undefined> {
    this.#failure = undefined
    const stopped = this.#requested.then(() => this.#chat.stop())
    const responded = stopped.then(() => this.#responded.next({ ms: 2_000 }))
    const sending = stopped.then(work).then(() => this.#chat.error)
    this.#requested = Promise.race([responded, sending.catch(() => {})])
    this.#sending = sending
    this.#wake.wake()
    this.#set({ status: 'running', reason: undefined })
    const error = await sending
    if (!error) return undefined
    this.#failure = { turn: this.#turn, reason: error.message }
    this.#set({ reason: error.message })
    return error
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      const before = this.#sending
      await Promise.allSettled([before])
      const next = this.#wake.next({ ms: RELOAD_MS, signal })
      const response = await this.#load(signal).catch(() => undefined)
      const text = (await response?.text().catch(() => undefined)) ?? ''
      const body = response?.ok ? parseJson(text) : undefined
      if (signal.aborted) return
      if (this.#sending !== before) continue
      if (response && Array.isArray(body)) {
        failures = 0
        this.#take(asArray(body).filter(isMessage), response)
        // It ends with the answer, or when another message changes: at once if one has changed since.
        // A prompt that is on its way stays, also when nobody listens any more.
        const release = onAbort(signal, () => void this.#chat.stop())
        await this.#chat.resumeStream({ headers: { 'if-none-match': response.headers.get('etag') ?? '' } })
        release()
        if (this.#sending === before && this.#chat.error) this.#set({ reason: this.#chat.error.message })
        await next
      } else {
        failures += 1
        const wait = Math.min(RELOAD_MS * 2 ** failures, LONGEST_WAIT_MS)
        this.#set({ status: 'lost', reason: reasonOf(response, text) ?? this.#state.reason })
        // A refusal stays until the person does something.
        await this.#wake.next({ ms: isFinalRefusal(response?.status ?? 0) ? undefined : wait, signal })
      }
    }
  }

  /** Rejects also where the function of the page throws. */
  async #load(signal: AbortSignal): Promise<Response> {
    return this.#fetch(`${this.#api}/messages`, { signal })
  }

  #take(messages: readonly SessionUIMessage[], { headers }: Response): void {
    const known = this.#known ?? new Set(messages.map(({ id }) => id))
    this.#known = known
    for (const prompt of messages.filter(({ id, role }) => role === 'user' && !known.has(id))) {
      known.add(prompt.id)
      this.#remove(prompt)
    }
    const { outcome, error } = messages.at(-1)?.metadata ?? {}
    const turn = JSON.stringify([messages.findLast(({ role }) => role === 'user')?.id, outcome, error])
    if (turn !== this.#turn && outcome && this.#waiting.length > 0) {
      this.#giveBack(this.#waiting)
      this.#waiting = []
    }
    this.#turn = turn
    // A page may send before it has loaded.
    if (this.#failure?.turn === '') this.#failure = { ...this.#failure, turn }
    this.#chat.clearError()
    this.#chat.messages = [...messages]
    this.#set({
      waiting: this.#waiting,
      status: statusOf(headers.get('session-status')),
      reason: this.#failure?.turn === turn ? this.#failure.reason : error,
    })
  }

  /** A program may take several prompts as one, also those whose words have returned. */
  #remove(taken: SessionUIMessage): void {
    this.#waiting = withoutRun(this.#waiting, taken)
    const returned = withoutRun(this.#returned, taken)
    if (returned !== this.#returned && this.#hasReturned()) this.#set({ text: textOf(returned) })
    this.#returned = returned
  }

  /** Whether the input has the words that have returned, and no others. */
  #hasReturned(): boolean {
    return collapsed(this.#state.text) === wordsOf(this.#returned)
  }

  #giveBack(prompts: readonly SessionUIMessage[]): void {
    this.#returned = this.#hasReturned() ? [...prompts, ...this.#returned] : prompts
    const { text } = this.#state
    this.#set({ text: text.trim() === '' ? textOf(prompts) : `${textOf(prompts)} ${text}` })
  }
}

/** Calls the listener when a request of the chat has a response, or fails. The types of `Chat` hide its transport. */
function onResponse(chat: AISDKChat, listener: () => void): void {
  const transport: unknown = Reflect.get(chat, 'transport')
  if (!isObject(transport)) return
  const get = (target: object, name: string | symbol) => {
    const value: unknown = Reflect.get(target, name)
    if (typeof value !== 'function') return value
    if (name !== 'sendMessages') return value.bind(target)
    return (...options: unknown[]) => Promise.resolve(Reflect.apply(value, target, options)).finally(listener)
  }
  Reflect.set(chat, 'transport', new Proxy(transport, { get }))
}

/** Returns the words of a refusal: `uiMessageResponse` has them as its body. A proxy has a page. */
function reasonOf(response: Response | undefined, text: string): string | undefined {
  if (!response || response.ok) return undefined
  const isPlain = response.headers.get('content-type')?.startsWith('text/plain')
  return isPlain && text ? text : `The server answers ${response.status}.`
}

function statusOf(header: string | null): SessionStatus {
  return SESSION_STATUSES.find((each) => each === header) ?? 'idle'
}

function isMessage(value: unknown): value is SessionUIMessage {
  return isObject(value) && typeof value.id === 'string' && Array.isArray(value.parts)
}

/** Returns the prompts without the first of those that follow each other and together have the words of the taken one. */
function withoutRun(
  prompts: readonly SessionUIMessage[],
  taken: SessionUIMessage,
): readonly SessionUIMessage[] {
  const words = wordsOf([taken])
  for (const from of prompts.keys())
    for (let to = from + 1; to <= prompts.length; to += 1)
      if (wordsOf(prompts.slice(from, to)) === words) return prompts.toSpliced(from, to - from)
  return prompts
}

function textOf(prompts: readonly SessionUIMessage[]): string {
  return prompts.map(({ parts }) => textOfParts(parts)).join(' ')
}

/** Returns the words of a message. The page and the server compare those of prompts. */
export function textOfParts(parts: readonly { readonly type?: unknown; readonly text?: unknown }[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? (asString(part.text) ?? []) : [])).join('\n')
}

/** Returns the text with single spaces: a program may join prompts by lines. */
function wordsOf(prompts: readonly SessionUIMessage[]): string {
  return collapsed(textOf(prompts))
}

function collapsed(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}
