import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEqual } from '../../src/core/json/equal.ts'
import { sessionLog } from '../../src/entries/arbitraries.ts'
import {
  loadSession,
  parseSessionEvent,
  type Session,
  type SessionConversationState,
  type SessionEvent,
  saveSession,
} from '../../src/entries/index.ts'
import {
  declareNotes,
  defineSource,
  type IncomingBlock,
  type NotesOf,
  type Source,
  subagentBlockId,
  TranslationContext,
} from '../../src/entries/source-kit.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { runs } from '../depth.ts'
import { plain } from '../wires/ag-ui/server-streams.ts'
import { inputs } from '../wires/inputs.ts'

type Context = TranslationContext<NotesOf<Record<never, never>>>

/** What a message does. */
type Act = (context: Context) => void

/** A program whose messages are what they do, or events. */
const source: Source = defineSource({
  notes: declareNotes({ source: 'script', version: 1 }, {}),
  begin: (session): Context => new TranslationContext(session),
  open: () => {},
  translate: act,
  end: (context) => context.endInput(),
})

function act(message: unknown, context: Context): void {
  const event = parseSessionEvent(message)
  if (isAct(message)) message(context)
  else if (event.ok) context.emit(event.event)
}

function isAct(message: unknown): message is Act {
  return typeof message === 'function'
}

const upsert = (conversationId: string, block: IncomingBlock): SessionEvent => ({
  type: 'block:upsert',
  conversationId,
  block,
})
const text = (id: string, content: string, status: 'pending' | 'complete' = 'complete') =>
  ({ type: 'assistant_text', id, status, content }) as const
const prompt = (id: string) => ({ type: 'user_message', id, status: 'complete', content: 'Hello' }) as const
const tokens = (
  conversationId: string,
  outputTokens: number,
  final: boolean,
  messageId = 'm1',
): SessionEvent => ({
  type: 'usage:reported',
  conversationId,
  messageId,
  usage: { outputTokens },
  final,
})
const spawned = (toolUseId: string, conversationId = 'main'): SessionEvent => ({
  type: 'subagent:spawned',
  conversationId,
  toolUseId,
  prompt: 'Help.',
  agentId: `agent-of-${toolUseId}`,
})

/** A conversation with an open text, a whole one, tokens that are not final, and others that are. */
const content = (id: string): readonly SessionEvent[] => [
  upsert(id, text('done', 'Whole.')),
  upsert(id, text('open', 'Hel', 'pending')),
  tokens(id, 1, false),
  tokens(id, 9, true, 'm0'),
]

const begin: readonly unknown[] = [
  (context: Context) => context.turn.begin('2026-01-01T00:00:00.000Z'),
  upsert('main', prompt('u1')),
  ...content('main'),
  spawned('t1'),
  upsert('t1', prompt('t1:prompt')),
  ...content('t1'),
  spawned('t2', 't1'),
  { type: 'subagent:completed', toolUseId: 't2', status: 'completed', output: 'Helped.' },
]

const read = (session: Session, ...messages: readonly unknown[]) => source.read(session, messages)
const begun = read(source.open(), ...begin).session
const cut = source.end(begun).session
const saved = (session: Session) => loadSession(source, JSON.parse(JSON.stringify(saveSession(session))))

const statusesOf = ({ turn, subagents }: SessionConversationState) => [
  turn.status,
  ...subagents.map(({ status }) => status),
]

describe('the end of an input', () => {
  it('cuts main and the agents that run, and keeps their open blocks', () => {
    const { session, ending, issues } = source.end(begun)
    expect(statusesOf(session.state)).toEqual(['interrupted', 'error', 'success'])
    expect(session.state.turn).toMatchObject({ openBlocks: ['open'] })
    expect(session.state.subagents[0]).toMatchObject({ openBlocks: ['open'] })
    expect(session.state.subagents[1]).not.toHaveProperty('openBlocks')
    expect({ ending, issues }).toEqual({
      ending: 'interrupted',
      issues: [{ code: 'unfinished-subagent', count: 1, toolUseId: 't1' }],
    })
  })

  it('changes nothing the second time', () => {
    expect(source.end(cut)).toEqual({ session: cut, events: [], issues: [], ending: 'interrupted' })
    expect(source.end(cut).session.state).toBe(cut.state)
  })

  it('finishes a turn that the model has answered, without a cut', () => {
    const { session } = read(begun, (context: Context) => context.turn.answer({}))
    const { state } = source.end(session).session
    expect(state.turn).toMatchObject({ status: 'finished' })
    expect(state.turn).not.toHaveProperty('openBlocks')
  })
})

const conversations = [
  ['main', { type: 'session:running', continues: true }],
  ['t1', { type: 'subagent:resumed', toolUseId: 't1', continues: true }],
] as const

describe.each(conversations)('after a cut of %s', (id, continues) => {
  const conversationOf = (state: SessionConversationState) => {
    const { blocks, usage, turn, subagents } = state
    return id === 'main'
      ? { blocks: blocks.filter(({ type }) => type !== 'subagent'), usage, turn }
      : subagents[0]
  }

  const silent: Readonly<Record<string, readonly SessionEvent[]>> = {
    'a repeated prompt': [upsert(id, prompt(id === 'main' ? 'u1' : 't1:prompt'))],
    'an equal block': [upsert(id, text('done', 'Whole.'))],
    'the start of a known block': [upsert(id, text('open', '', 'pending'))],
    'the start of a known block that is whole': [upsert(id, text('done', '', 'pending'))],
    'an empty delta': [{ type: 'block:delta', conversationId: id, blockId: 'open', delta: '' }],
    'a delta of an unknown block': [{ type: 'block:delta', conversationId: id, blockId: 'gone', delta: '?' }],
    'final tokens again': [tokens(id, 9, true, 'm0')],
    'final tokens with another number': [tokens(id, 10, true, 'm0')],
    'the same tokens, not final': [tokens(id, 1, false)],
    'a known agent': [spawned('t1'), spawned('t2', 't1')],
    'a report of the program': [
      upsert(id, { type: 'system', id: 'hook', status: 'complete', subtype: 'hook', message: 'Ran.' }),
    ],
    'a plan': [{ type: 'todos:updated', conversationId: id, todos: [] }],
    'new facts': [{ type: 'session:updated', facts: { model: 'other' } }],
    'the removal of a block': [{ type: 'block:removed', conversationId: id, blockId: 'done' }],
    'the end of another agent again': [
      { type: 'subagent:completed', toolUseId: 't2', status: 'completed', output: 'Helped.' },
    ],
  }

  it.each(Object.entries(silent))('%s revives nothing', (_, events) => {
    const reading = read(cut, ...events)
    expect(reading.events).toEqual(events)
    expect(statusesOf(reading.session.state)).toEqual(statusesOf(cut.state))
    const places = [reading.session.state, cut.state].map(({ turn, subagents }) => [
      turn.openBlocks,
      subagents[0]?.openBlocks,
    ])
    expect(places[0]).toEqual(places[1])
  })

  const adding: Readonly<Record<string, SessionEvent>> = {
    'a delta': { type: 'block:delta', conversationId: id, blockId: 'open', delta: 'lo' },
    'a new block': upsert(id, text('new', 'More.')),
    'the start of a new block': upsert(id, text('new', '', 'pending')),
    'another content of a block': upsert(id, text('done', 'Whole again.')),
    'the end of an open block': upsert(id, text('open', 'Hello')),
    'the end of an open block without more content': upsert(id, text('open', 'Hel')),
    'tokens that were not final': tokens(id, 2, false),
    'the final tokens': tokens(id, 1, true),
    'tokens of a new message': tokens(id, 0, false, 'm2'),
    'a new agent': spawned('t3', id),
    'a notification': upsert(id, { ...prompt('n1'), origin: 'notification' }),
  }

  it.each(Object.entries(adding))('%s goes on', (_, event) => {
    const reading = read(cut, event)
    expect(reading.events).toEqual([continues, event])
    expect(conversationOf(reading.session.state)).toEqual(conversationOf(read(begun, event).session.state))
    // Another conversation stays cut.
    const [turn, agent] = statusesOf(reading.session.state)
    expect([turn, agent]).toEqual(id === 'main' ? ['running', 'error'] : ['interrupted', 'running'])
  })

  it.each(Object.entries(adding))('%s goes on after a save and in a session of the state too', (_, event) => {
    const { state } = read(cut, event).session
    const saved = JSON.parse(JSON.stringify(saveSession(cut)))
    for (const session of [loadSession(source, saved), source.open(cut.state)])
      expect(read(session, event).session.state).toEqual(state)
  })

  it('the next messages go on without another event', () => {
    const events = Object.values(adding)
    expect(read(cut, ...events).events).toEqual([continues, ...events])
  })
})

describe('after a cut', () => {
  it('an agent goes on by its other id', () => {
    const event = upsert('agent-of-t1', text('new', 'More.'))
    const { session, events } = read(cut, event)
    expect(events).toEqual([{ type: 'subagent:resumed', toolUseId: 'agent-of-t1', continues: true }, event])
    expect(statusesOf(session.state)).toEqual(['interrupted', 'running', 'success'])
  })

  it('an announced agent is announced again', () => {
    const announced = { type: 'subagent', id: 't9', toolUseId: 't9', status: 'pending', input: '' } as const
    const { session } = read(source.open(), upsert('main', announced))
    const ended = source.end(session).session
    expect(statusesOf(ended.state)).toEqual(['interrupted', 'error'])
    for (const event of [spawned('t9'), upsert('t9', text('a', 'Hi', 'pending'))])
      expect(source.end(read(ended, event).session).session.state).toEqual(
        source.end(read(session, event).session).session.state,
      )
    expect(read(ended, spawned('t9')).session.state).toEqual(read(session, spawned('t9')).session.state)
    expect(read(ended, upsert('main', { ...announced, id: subagentBlockId('t9') })).events).toHaveLength(1)
  })

  it.each<[string, SessionEvent]>([
    ['end of the agent', { type: 'subagent:completed', toolUseId: 't1', status: 'completed', output: 'Hi' }],
    ['end of the turn', { type: 'session:idle', outcome: 'finished', timestamp: '2026-01-01T00:00:09.000Z' }],
    ['failure of the turn', { type: 'session:idle', outcome: 'failed', error: 'No.' }],
  ])('the late %s counts as if there had been no cut', (_, event) => {
    const late = source.end(read(cut, event).session).session.state
    expect(late).toEqual(source.end(read(begun, event).session).session.state)
  })

  it('a prompt starts a new turn', () => {
    const time = '2026-01-02T00:00:00.000Z'
    const { session, events } = read(
      cut,
      (context: Context) => context.turn.begin(time),
      upsert('main', prompt('u2')),
    )
    expect(events).toEqual([{ type: 'session:running', timestamp: time }, upsert('main', prompt('u2'))])
    expect(session.state.turn).toEqual({ status: 'running', startedAt: time })
    expect(session.state.blocks.find(({ id }) => id === 'open')).toMatchObject({ status: 'complete' })
    expect(statusesOf(session.state)).toEqual(['running', 'error', 'success'])
  })

  // A program was killed while it asked. Its next process began with a prompt, and the dead request waited again.
  it.each<[string, (more: readonly unknown[]) => readonly (readonly unknown[])[]]>([
    ['in one message', (more) => [[(context: Context) => void more.map((each) => act(each, context))]]],
    ['in a message each', (more) => more.map((each) => [each])],
  ])('a prompt starts a new turn behind a start, %s', (_, messagesOf) => {
    const time = '2026-01-02T00:00:00.000Z'
    const start: Act = (context) => context.turn.start(time)
    const prompted = [start, (context: Context) => context.turn.begin(time), upsert('main', prompt('u2'))]
    for (const more of [prompted, [start, upsert('main', prompt('u2'))]])
      for (const session of [cut, source.open(cut.state)]) {
        const after = messagesOf(more).reduce(
          (each, messages) => saved(read(each, ...messages).session),
          session,
        )
        expect(after.state.turn).toEqual({ status: 'running', startedAt: time })
        expect(after.state.blocks.filter(({ status }) => status === 'pending')).toEqual([])
      }
  })

  it('a prompt stays in the turn that has gone on', () => {
    const more = [(context: Context) => context.turn.start(), upsert('main', text('new', 'More.'))]
    const { session } = read(cut, ...more, upsert('main', prompt('u2')))
    expect(session.state.turn).toEqual(begun.state.turn)
    expect(session.state.blocks.find(({ id }) => id === 'open')).toMatchObject({ status: 'pending' })
  })

  // Codex reports the start of a turn before its prompt. The turn began with the prompt if a cut was between them.
  it('a prompt goes on with a turn that has no content yet', () => {
    const start = (context: Context) => context.turn.start('2026-01-02T00:00:00.000Z')
    const asked = (context: Context) => context.turn.begin('2026-01-02T00:00:01.000Z')
    for (const before of [[], [...begin, { type: 'session:idle', outcome: 'finished' }]]) {
      const started = read(source.open(), ...before, start).session
      const rest = [asked, upsert('main', prompt('u2'))]
      const { state } = read(source.end(started).session, ...rest).session
      expect(state.turn).toEqual({ status: 'running', startedAt: '2026-01-02T00:00:00.000Z' })
      expect(source.end(read(source.end(started).session, ...rest).session).session.state.turn).toEqual(
        source.end(read(started, ...rest).session).session.state.turn,
      )
    }
  })

  it('a start goes on with the turn, also without content', () => {
    const { session, events } = read(cut, (context: Context) =>
      context.turn.start('2026-01-02T00:00:00.000Z'),
    )
    expect(events).toEqual([{ type: 'session:running', continues: true }])
    expect(session.state.turn).toEqual(begun.state.turn)
  })

  it('an answer goes on with the turn, unless it is an interruption', () => {
    const answered = read(cut, (context: Context) => context.turn.answer({})).session
    expect(answered.state.turn).toEqual(begun.state.turn)
    expect(source.end(answered).ending).toBe('finished')
    const stopped = read(cut, (context: Context) => context.turn.answer({ outcome: 'interrupted' }))
    expect(stopped.events).toEqual([])
  })

  it('rules see that a block is open and that an agent has not ended', () => {
    const seen: unknown[] = []
    const look: Act = (context) => {
      seen.push([
        context.state.isOpen('main', 'open'),
        context.state.isOpen('t1', 'open'),
        context.state.isOpen('main', 'done'),
      ])
      seen.push(['t1', 'agent-of-t1', 't2', 'gone'].map((id) => context.state.hasEnded(id)))
    }
    read(begun, look)
    read(cut, look)
    expect(seen.slice(2)).toEqual(seen.slice(0, 2))
    expect(seen.slice(2)).toEqual([
      [true, true, false],
      [false, false, true, false],
    ])
  })
})

/** Returns the state after an input with an end of the input in the middle, and another end. */
function stateWithCut(from: Source, messages: readonly unknown[], at: number): SessionConversationState {
  const before = from.end(from.read(from.open(), messages.slice(0, at)).session).session
  return from.end(from.read(before, messages.slice(at)).session).session.state
}

const stateWithoutCut = (from: Source, messages: readonly unknown[]) =>
  from.end(from.read(from.open(), messages).session).session.state

/** A recording of each form of each wire. `differs` says why a source does not obey the law yet: its test must fail until it does. */
const recorded: readonly { readonly name: string; readonly differs?: string }[] = [
  { name: 'claude-sdk, 06-nested-forward, stream' },
  { name: 'claude-sdk, 06-nested-forward, files' },
  { name: 'claude-sdk, 03-tools of 2.0.77, files' },
  {
    name: 'claude-sdk, 08g-fatal-400, stream',
    differs: 'an answer ends the turn at a cut, and gives it a time that the end of the turn lacks',
  },
  { name: 'claude-sdk, 16-sdk-array, public' },
  { name: 'opencode, 06-nested, exports' },
  { name: 'opencode, 06-nested, run' },
  {
    name: 'opencode, 01-plain-text, events',
    differs: 'an answer ends the turn at a cut, and the time of its end is not read',
  },
  {
    name: 'opencode, 01-idle-session-updated, public',
    differs: 'a cut decides that the first session is main, which later events do not confirm',
  },
  { name: 'codex, 04-apply-patch, exec' },
  { name: 'codex, 04-apply-patch, app-server' },
  { name: 'codex, 04-apply-patch, exec, files' },
  { name: 'codex, 17-killed, app-server' },
  {
    name: 'codex, 09-subagent-v1, app-server, files',
    differs: 'a cut shows an agent whose call is not known yet without its call',
  },
  { name: 'codex, 19-compact, exec, files', differs: 'a cut shows what a compaction takes back' },
  { name: 'codex, 05-codex-rollout, public', differs: 'a cut names a message whose id is not known yet' },
  { name: 'acp, 09-claude-nested, load' },
  { name: 'acp, 03-claude-tools, log' },
]

describe('the state after a cut and the rest of the input is the state without the cut', () => {
  it('for any log', () => {
    fc.assert(
      fc.property(sessionLog(), fc.nat(), (events, place) => {
        const at = place % (events.length + 1)
        expect(stateWithCut(source, events, at)).toEqual(stateWithoutCut(source, events))
      }),
      { numRuns: runs(300) },
    )
  })

  it('for a stream of AG-UI, cut anywhere', () => {
    expect(differingCuts(loadedSourceOf('ag-ui'), plain)).toEqual([])
  })

  for (const { name, differs } of recorded) {
    const test = differs === undefined ? it : it.fails
    test(`for ${name}, cut anywhere${differs === undefined ? '' : `. It differs: ${differs}`}`, () => {
      const input = inputs.find((each) => each.name === name)
      expect(input ? differingCuts(input.source, input.messages) : 'no such recording').toEqual([])
    })
  }

  it('for recordings that exist', () => {
    const names = new Set(inputs.map(({ name }) => name))
    expect(recorded.filter(({ name }) => !names.has(name))).toEqual([])
  })
})

/** Returns the numbers of messages before a cut after which the rest gives another state. */
function differingCuts(from: Source, messages: readonly unknown[]): readonly number[] {
  const whole = stateWithoutCut(from, messages)
  return [...messages.keys()].filter((at) => !isEqual(stateWithCut(from, messages, at), whole))
}
