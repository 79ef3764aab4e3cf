import { EventSchemas } from '@ag-ui/core/schemas'
import { describe, expect, it } from 'vitest'
import { agUiSource } from '../../../src/entries/ag-ui.ts'
import {
  detectArchitecture,
  type SessionConversationState,
  sessionStatus,
} from '../../../src/entries/index.ts'
import { checkJoin, checkSource } from '../../../src/entries/testing.ts'
import {
  agents,
  chunks,
  type Event,
  interrupts,
  legacy,
  plain,
  snapshots,
  streams,
} from './server-streams.ts'

describe.each(Object.entries(streams))('a stream of the shape %s', (name, events) => {
  it('keeps the laws of a source', () => {
    checkSource(agUiSource, events)
  })

  it.runIf(name !== 'legacy')('passes the schema of the protocol', () => {
    for (const event of events) EventSchemas.parse(event)
  })

  it('adds nothing if it comes again', () => {
    const once = fold(events)
    const twice = fold([...events, ...events])
    expect(twice.blocks.map(contentOf)).toEqual(once.blocks.map(contentOf))
    expect(twice.subagents.map(({ blocks }) => blocks.map(contentOf))).toEqual(
      once.subagents.map(({ blocks }) => blocks.map(contentOf)),
    )
    if (name !== 'late') expect([twice.turn, twice.todos]).toEqual([once.turn, once.todos])
  })

  it('is found to be AG-UI', () => {
    const lines = events.map((event) => JSON.stringify(event))
    expect(detectArchitecture(lines.join('\n'))).toBe('ag-ui')
    expect(detectArchitecture(lines.map((line) => `data: ${line}\n`).join('\n'))).toBe('ag-ui')
  })
})

describe('blocks', () => {
  it('of a plain stream', () => {
    const { blocks, turn, usage, session } = fold(plain)
    expect(blocks.map(contentOf)).toEqual([
      ['user_message', 'u1', 'complete', 'What is the weather?'],
      ['thinking', 'm1', 'complete', 'Look it up.'],
      ['tool_use', 'c1', 'complete', { place: 'Bern' }],
      ['tool_result', 'c1:result', 'complete', 'Rain.'],
      ['assistant_text', 'm2', 'complete', 'It rains.'],
    ])
    expect(turn).toMatchObject({ status: 'finished', durationMs: 1000 })
    expect(usage).toMatchObject([
      {
        messageId: 'r1',
        model: 'a',
        inputTokens: 3,
        outputTokens: 4,
        cacheReadTokens: 5,
        cacheWriteTokens: 1,
      },
      { messageId: 'r1:1', outputTokens: 1, reasoningTokens: 1 },
    ])
    expect(session).toMatchObject({ id: 't', protocol: 'ag-ui', model: 'a' })
  })

  it('of chunks in several conversations', () => {
    const { blocks, subagents } = fold(chunks)
    expect(blocks.map(contentOf).filter(([type]) => type !== 'subagent')).toEqual([
      ['assistant_text', 'm1', 'complete', 'One two. Three.'],
      ['tool_use', 'c1', 'complete', {}],
      ['tool_result', 'c1:result', 'complete', 'a.txt'],
    ])
    expect(subagents).toMatchObject([
      { toolUseId: 's1', name: 'helper', status: 'success', output: '{"ok":true}' },
    ])
    expect(subagents[0]?.blocks.map(contentOf)).toEqual([
      ['thinking', 'm2', 'complete', 'Hmm. Yes.'],
      ['assistant_text', 'm3', 'complete', 'Done.'],
    ])
  })

  it('of versions before 1.0', () => {
    const { blocks } = fold(legacy)
    expect(blocks[0]).toMatchObject({
      content: [
        { type: 'text' },
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } },
        { type: 'file', source: { type: 'url', url: 'https://x.test/a.pdf' }, name: 'a.pdf' },
      ],
    })
    expect(blocks.slice(1).map(contentOf)).toEqual([
      ['thinking', 'unnamed:0', 'complete', 'First.'],
      ['thinking', 'unnamed:1', 'complete', 'Second.'],
      ['assistant_text', 'm1', 'complete', 'Nice.'],
    ])
  })
})

describe('agents', () => {
  it('have the id of their call, their parent, and their end', () => {
    const { blocks, subagents } = fold(agents)
    expect(blocks.map(({ id }) => id)).toEqual(['subagent:c1', 'subagent:s3'])
    expect(subagents).toMatchObject([
      {
        toolUseId: 'c1',
        agentId: 's1',
        name: 'finder',
        prompt: 'Find it.',
        output: 'Found it.',
        status: 'error',
      },
      { toolUseId: 'c2', agentId: 's2', parentConversationId: 'c1', prompt: 'Deeper.', status: 'error' },
      { toolUseId: 's3', name: 'finder', status: 'success' },
    ])
    expect(subagents[0]?.blocks.map(({ id }) => id)).toEqual(['m2', 'subagent:c2'])
  })

  it('run on while they are suspended, and end with a run that fails', () => {
    const suspended = agents.slice(0, 19)
    const { subagents } = agUiSource.read(agUiSource.open(), suspended).session.state
    expect(subagents.map(({ status }) => status)).toEqual(['success', 'error', 'running'])
    const failed: Event[] = [...agents.slice(0, 5), { type: 'RUN_ERROR', message: 'No.' }]
    expect(fold(failed).subagents.map(({ status }) => status)).toEqual(['error'])
  })
})

it('requests wait for the person, and have the answers', () => {
  const waiting = fold(interrupts.slice(0, 5), false)
  expect(sessionStatus(waiting)).toBe('waiting')
  expect(waiting.blocks.slice(1)).toMatchObject([
    { id: 'i1', kind: 'permission', title: 'Delete it?', toolUseId: 'c1', options: [{ id: 'yes' }] },
    { id: 'i2', kind: 'question', title: 'input_required', status: 'pending' },
  ])
  const { blocks, turn } = fold(interrupts)
  expect(blocks.filter(({ type }) => type === 'request')).toMatchObject([
    { id: 'i1', status: 'complete', answer: 'yes', comment: 'Go on.' },
    { id: 'i2', status: 'complete' },
    { id: 'i3', status: 'complete', denied: true },
  ])
  expect(turn).toMatchObject({ status: 'failed', error: 'Overloaded.' })
})

describe('snapshots', () => {
  it('replace, add and remove messages at their places', () => {
    const { blocks, todos } = fold(snapshots)
    expect(blocks.map(contentOf)).toEqual([
      ['user_message', 's1', 'complete', 'Be brief.'],
      ['user_message', 'u1', 'complete', 'What is the weather?'],
      ['thinking', 'm0', 'complete', ''],
      ['system', 'p1', 'complete', { title: 'Plan', steps: ['a', 'b'] }],
      ['assistant_text', 'm1', 'complete', 'Hello.'],
      ['tool_use', 'c1', 'error', { a: 1 }],
      ['tool_result', 'c1:result', 'error', 'No.'],
      ['tool_use', 'c2', 'complete', {}],
    ])
    expect(todos).toEqual([
      { text: 'B', status: 'in_progress' },
      { text: 'c', status: 'completed' },
    ])
    expect(end(snapshots).issues).toEqual([])
  })

  it('are a whole session without a run', () => {
    const { type, messages } = Object(snapshots.find((event) => event.type === 'MESSAGES_SNAPSHOT'))
    const { turn, blocks } = fold([{ type, messages }])
    expect([turn.status, blocks.length]).toEqual(['finished', 6])
  })
})

describe('a join', () => {
  // Nothing numbers the deltas of an open message or a patch, so two streams that overlap within one double them.
  it('of snapshots with the stream adds only what is new', () => {
    const isEnd = (at: number) => at === 0 || /_END|FINISHED/.test(snapshots[at - 1]?.type ?? '')
    checkJoin(agUiSource, { history: snapshots, live: snapshots, cuts: [...snapshots.keys()].filter(isEnd) })
  })

  it.each(['plain', 'chunks', 'agents', 'interrupts'])('goes on from the state alone after %s', (name) => {
    const events = streams[name] ?? []
    for (const cut of events.keys()) {
      const resumed = agUiSource.open(fold(events.slice(0, cut), false))
      const { session } = agUiSource.end(agUiSource.read(resumed, events.slice(cut)).session)
      expect(session.state.blocks.map(contentOf)).toEqual(fold(events).blocks.map(contentOf))
    }
  })
})

function fold(events: readonly Event[], isOver = true): SessionConversationState {
  const { session } = agUiSource.read(agUiSource.open(), events)
  return (isOver ? agUiSource.end(session).session : session).state
}

function end(events: readonly Event[]) {
  return agUiSource.end(agUiSource.read(agUiSource.open(), events).session)
}

function contentOf(block: SessionConversationState['blocks'][number]): readonly unknown[] {
  const content =
    'content' in block
      ? block.content
      : 'output' in block
        ? block.output
        : 'input' in block
          ? block.input
          : Reflect.get(block, 'data')
  return [block.type, block.id, block.status, content]
}
