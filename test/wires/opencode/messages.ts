import { opencodeSource } from '../../../src/wires/opencode/source.ts'
import { isSourceIssue, type Replayed } from '../recordings.ts'
import { replay } from './recordings.ts'

/** An event of OpenCode's bus, or a part of one, in the shape that FORMATS.md describes. */
export type Message = Readonly<Record<string, unknown>>

const MODEL = 'mock-1'

/** Reads bus events. An object that occurs twice is one repeated event: it gets the same id. */
export function readEvents(...events: readonly Message[]): Replayed {
  return replay(toLines(withEventIds(events)))
}

/** Reads bus events as a client that is still connected: the state before the end of the input. */
export function readOpenEvents(
  ...events: readonly Message[]
): Pick<Replayed, 'state' | 'events' | 'issues' | 'ending'> {
  const { session, events: all, issues } = opencodeSource.read(opencodeSource.open(), withEventIds(events))
  const { ending, issues: last } = opencodeSource.end(session)
  const found = [...issues, ...last].filter(isSourceIssue).map(({ index: _, ...issue }) => issue)
  return { state: session.state, events: all, issues: found, ending }
}

export function withEventIds(events: readonly Message[]): readonly Message[] {
  const ids = new Map([...new Set(events)].map((event, at) => [event, `evt_${at}`]))
  return events.map((event) => ({ id: ids.get(event), ...event }))
}

export function toLines(messages: readonly unknown[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('')
}

export const event = (type: string, properties: Message): Message => ({ type, properties })

/** The token counts of a step or a message. */
export const tokens = (input: number, output: number, fields: Message = {}): Message => ({
  input,
  output,
  reasoning: 0,
  cache: { read: 0, write: 0 },
  ...fields,
})

/** Makes the events of one session. Times are in ms since the epoch. */
export class SessionEvents {
  readonly id: string
  readonly parentId: string | undefined

  constructor(id: string, parentId?: string) {
    this.id = id
    this.parentId = parentId
  }

  event(type: string, properties: Message = {}): Message {
    return event(type, { sessionID: this.id, ...properties })
  }

  created(info: Message = {}): Message {
    return this.event('session.created', { info: this.#info(info) })
  }

  updated(info: Message = {}): Message {
    return this.event('session.updated', { info: this.#info(info) })
  }

  #info(info: Message): Message {
    const time = { created: 1000, updated: 1000 }
    return {
      id: this.id,
      directory: '/srv/demo',
      version: '1.18.33',
      cost: 0,
      ...(this.parentId !== undefined && { parentID: this.parentId }),
      time,
      ...info,
    }
  }

  idle(): Message {
    return this.event('session.idle')
  }

  status(status: Message): Message {
    return this.event('session.status', { status })
  }

  failed(error: Message): Message {
    return this.event('session.error', { error })
  }

  user(id: string, info: Message = {}): Message {
    return this.#message({ id, role: 'user', time: { created: 1000 }, ...info })
  }

  /** The start of an assistant message. */
  assistantStart(id: string, info: Message = {}): Message {
    const figures = { modelID: MODEL, providerID: 'mock', cost: 0, tokens: tokens(0, 0) }
    return this.#message({ id, role: 'assistant', ...figures, time: { created: 2000 }, ...info })
  }

  /** The end of an assistant message. */
  assistantEnd(id: string, info: Message = {}): Message {
    return this.assistantStart(id, { time: { created: 2000, completed: 3000 }, finish: 'stop', ...info })
  }

  #message(info: Message): Message {
    return this.event('message.updated', { info: { sessionID: this.id, ...info } })
  }

  part(messageID: string, part: Message): Message {
    return this.event('message.part.updated', { part: { messageID, sessionID: this.id, ...part } })
  }

  /** A text of the user, or a synthetic one. */
  userText(messageId: string, id: string, text: string, fields: Message = {}): Message {
    return this.part(messageId, { id, type: 'text', text, ...fields })
  }

  userFile(messageId: string, id: string, mime: string, url: string, fields: Message = {}): Message {
    return this.part(messageId, { id, type: 'file', mime, url, ...fields })
  }

  /** A whole text of the model. */
  wholeText(messageId: string, id: string, text: string, fields: Message = {}): Message {
    return this.part(messageId, { id, type: 'text', text, time: { start: 2100, end: 2200 }, ...fields })
  }

  /** The start of a streaming text of the model. */
  textStart(messageId: string, id: string, text = '', fields: Message = {}): Message {
    return this.wholeText(messageId, id, text, { time: { start: 2100 }, ...fields })
  }

  delta(messageID: string, partID: string, delta: unknown, field = 'text'): Message {
    return this.event('message.part.delta', { messageID, partID, field, delta })
  }

  stepStart(messageId: string, id: string): Message {
    return this.part(messageId, { id, type: 'step-start' })
  }

  stepFinish(messageId: string, id: string, fields: Message = {}): Message {
    return this.part(messageId, {
      id,
      type: 'step-finish',
      reason: 'stop',
      tokens: tokens(0, 0),
      cost: 0,
      ...fields,
    })
  }

  tool(messageId: string, id: string, state: Message, fields: Message = {}): Message {
    return this.part(messageId, { id, type: 'tool', tool: 'bash', callID: `call-${id}`, state, ...fields })
  }

  task(messageId: string, id: string, state: Message, fields: Message = {}): Message {
    return this.tool(messageId, id, state, { tool: 'task', callID: id, ...fields })
  }

  removed(messageID: string): Message {
    return this.event('message.removed', { messageID })
  }

  partRemoved(messageID: string, partID: string): Message {
    return this.event('message.part.removed', { messageID, partID })
  }
}

export const main: SessionEvents = new SessionEvents('ses_main')
export const child: SessionEvents = new SessionEvents('ses_child', 'ses_main')

/** Both events that report an idle session. */
export const idleEvents = (session: SessionEvents = main): readonly Message[] => [
  session.status({ type: 'idle' }),
  session.idle(),
]

/** A turn of main: the user asks, the model answers. */
export const prompt: readonly Message[] = [
  main.created(),
  main.user('msg_01'),
  main.userText('msg_01', 'prt_01', 'Ask.'),
]
export const answer: readonly Message[] = [
  main.assistantStart('msg_90'),
  main.wholeText('msg_90', 'prt_90', 'Answer.'),
  main.assistantEnd('msg_90'),
  main.idle(),
]

/** The states of a tool call. */
export const pending: Message = { status: 'pending', input: {}, raw: '' }
export const running = (fields: Message = {}): Message => ({
  status: 'running',
  input: { command: 'ls' },
  time: { start: 2300 },
  ...fields,
})
export const completed = (output: unknown, fields: Message = {}): Message => ({
  ...running(),
  status: 'completed',
  output,
  title: 'ls',
  metadata: {},
  time: { start: 2300, end: 2400 },
  ...fields,
})
export const failed = (error: string, fields: Message = {}): Message => ({
  ...running(),
  status: 'error',
  error,
  time: { start: 2300, end: 2400 },
  ...fields,
})

/** The input and metadata of a `task` call, which name the prompt and the subagent's session. */
export const taskTarget = (sessionId: string, input: Message = {}, metadata: Message = {}): Message => ({
  input: { description: 'Look', prompt: 'Look closely.', subagent_type: 'general', ...input },
  metadata: { parentSessionId: 'ses_main', sessionId, ...metadata },
})

/** The output of a `task` call: the report in OpenCode's frame. */
export const taskOutput = (sessionId: string, report: string, state = 'completed'): string =>
  `<task id="${sessionId}" state="${state}">\n<task_result>\n${report}\n</task_result>\n</task>`

/** A subagent's session from its prompt to its report. The ids of its messages and parts begin with the session's id. */
export function subagentTurn(session: SessionEvents, report: string, run = ''): readonly Message[] {
  const id = (name: string) => `${session.id}${run}-${name}`
  return [
    session.user(id('1')),
    session.userText(id('1'), id('p1'), 'Look closely.'),
    session.assistantStart(id('2')),
    session.stepStart(id('2'), id('p2')),
    session.wholeText(id('2'), id('p3'), report),
    session.stepFinish(id('2'), id('p4'), { tokens: tokens(10, 5) }),
    session.assistantEnd(id('2'), { tokens: tokens(10, 5) }),
    session.idle(),
  ]
}

/** A turn of main in which a subagent starts, works and reports. */
export const delegation: readonly Message[] = [
  ...prompt,
  main.assistantStart('msg_10'),
  main.task('msg_10', 'call-1', pending),
  child.created(),
  main.task('msg_10', 'call-1', running(taskTarget(child.id))),
  ...subagentTurn(child, 'Report.'),
  main.task('msg_10', 'call-1', completed(taskOutput(child.id, 'Report.'), taskTarget(child.id))),
  main.assistantEnd('msg_10', { finish: 'tool-calls' }),
]
