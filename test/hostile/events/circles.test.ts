import { describe, expect, it } from 'vitest'
import {
  type AgentNode,
  buildSessionTree,
  parseTranscript,
  type SessionConversationState,
} from '../../../src/entries/index.ts'
import { opencodeTranscript } from '../../../src/entries/opencode.ts'
import type { CombinedTranscript } from '../../../src/entries/source-kit.ts'
import { good } from '../line.ts'
import { textsOf } from '../programs.ts'

const textOf = (messages: readonly unknown[]) => messages.map((each) => JSON.stringify(each)).join('\n')

/** The texts of main and all agents. */
const allSaid = (state: SessionConversationState) =>
  [state, ...state.subagents]
    .flatMap(textsOf)
    .filter((text) => typeof text === 'string')
    .sort()

/** The ids in the tree, with repetitions. */
const idsIn = (node: AgentNode): readonly string[] => [node.conversationId, ...node.children.flatMap(idsIn)]

const shownIn = (state: SessionConversationState) => idsIn(buildSessionTree(state)).toSorted()

const everyoneIn = ({ subagents }: SessionConversationState) =>
  ['main', ...subagents.map(({ toolUseId }) => toolUseId)].sort()

/** Pairs of a name and its parent that form a circle. */
const circleOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `n${at}`, parent: `n${(at + 1) % count}` }))

const SIZES = [1, 2, 3, 10]

describe.each(SIZES)('%i sessions of OpenCode whose parents form a circle', (count) => {
  const circle = circleOf(count)
  const texts = circle.map(({ id }) => `of ${id}`)
  const part = (id: string) => ({ id: `p-${id}`, sessionID: id, messageID: `m-${id}`, type: 'text' })
  const saying = (id: string) => ({ ...part(id), text: `of ${id}`, time: { start: 1, end: 2 } })
  const infoOf = (id: string) => ({ id: `m-${id}`, sessionID: id, role: 'assistant' })
  const eventsOf = (id: string, parentID?: string) => [
    { type: 'session.created', properties: { sessionID: id, info: { id, parentID } } },
    { type: 'message.updated', properties: { sessionID: id, info: infoOf(id) } },
    { type: 'message.part.updated', properties: { sessionID: id, part: saying(id) } },
  ]
  const exportOf = (id: string, parentID?: string) => ({
    info: { id, parentID },
    messages: [{ info: infoOf(id), parts: [saying(id)] }],
  })
  const exports = circle.map(({ id, parent }) => exportOf(id, parent))
  const files = Object.fromEntries(exports.map((each, at) => [`${at}.json`, JSON.stringify(each)]))

  it.each<[string, string | CombinedTranscript]>([
    ['as events', textOf(circle.flatMap(({ id, parent }) => eventsOf(id, parent)))],
    ['as exports, a line each', textOf(exports)],
    ['as a list of exports', JSON.stringify(exports)],
  ])('have one for main and are all there: %s', (_, raw) => {
    const state = parseTranscript('opencode', raw)
    expect(allSaid(state)).toEqual(texts)
    expect(state.subagents).toHaveLength(count - 1)
    expect(shownIn(state)).toEqual(everyoneIn(state))
  })

  it('have one for main and are all there: as files', () => {
    const state = parseTranscript('opencode', opencodeTranscript(files))
    expect(allSaid(state)).toEqual(texts)
    expect(shownIn(state)).toEqual(everyoneIn(state))
  })

  it.each<[string, () => string]>([
    [
      'as events',
      () => textOf([...eventsOf('m'), ...circle.flatMap(({ id, parent }) => eventsOf(id, parent))]),
    ],
    [
      'as events that come before',
      () => textOf([...circle.flatMap(({ id, parent }) => eventsOf(id, parent)), ...eventsOf('m')]),
    ],
  ])('are of others beside a main that is none of them: %s', (_, raw) => {
    expect(allSaid(parseTranscript('opencode', raw()))).toEqual(['of m'])
  })

  it('stand beside a main that is none of them: as files', () => {
    const raw = opencodeTranscript({ ...files, 'm.json': JSON.stringify(exportOf('m')) })
    const state = parseTranscript('opencode', raw)
    expect(textsOf(state)).toEqual(['of m'])
    expect(allSaid(state)).toEqual(['of m', ...texts])
    expect(state.subagents).toHaveLength(count)
    expect(shownIn(state)).toEqual(everyoneIn(state))
  })
})

describe.each(SIZES)('%i agents of Claude Code that name each other as parents', (count) => {
  const circle = circleOf(count)
  const texts = [...circle.map(({ id }) => `of ${id}`), 'good']
  const call = (id: string, within: string) => ({
    type: 'assistant',
    session_id: 's',
    uuid: `u-${id}`,
    parent_tool_use_id: within,
    message: {
      id: `m-${id}`,
      content: [
        { type: 'text', text: `of ${within}` },
        { type: 'tool_use', id, name: 'Task', input: { prompt: 'Go.' } },
      ],
    },
  })

  it('are all there, once each: in lines', () => {
    const lines = circle.map(({ id, parent }) => call(id, parent))
    const state = parseTranscript('claude-sdk', `${good}\n${textOf(lines)}`)
    expect(textsOf(state)).toEqual(['good'])
    expect(allSaid(state)).toEqual(texts.toSorted())
    expect(shownIn(state)).toEqual(['main', ...circle.map(({ id }) => id)])
  })

  const combined: CombinedTranscript = {
    main: good,
    subagents: circle.map(({ id, parent }) => ({
      id: `agent-${id}`,
      transcript: JSON.stringify({
        type: 'assistant',
        sessionId: 's',
        isSidechain: true,
        agentId: `agent-${id}`,
        uuid: `u-${id}`,
        message: { id: `m-${id}`, content: [{ type: 'text', text: `of ${id}` }] },
      }),
      meta: JSON.stringify({ toolUseId: id, parentAgentId: `agent-${parent}` }),
    })),
  }

  it('are all there: in the notes beside their files', () => {
    const state = parseTranscript('claude-sdk', combined)
    expect(textsOf(state)).toEqual(['good'])
    expect(allSaid(state)).toEqual(texts.toSorted())
    const shown = shownIn(state)
    expect(shown).toEqual(expect.arrayContaining(['main', ...circle.map(({ id }) => id)]))
    expect(shown).toEqual(everyoneIn(state))
    // The reducer ignores a spawn that would close the circle, and its agent id too. Texts under that id stay in a thread of their own.
    expect(shown.length - circle.length).toBe(count === 1 ? 1 : 2)
  })
})
