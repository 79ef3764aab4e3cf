import { describe, expect, it } from 'vitest'
import {
  branches,
  contextTokens,
  type SessionConversationState,
  sessionStatus,
  sumUsage,
} from '../../../src/entries/index.ts'
import { ofType, textsOf } from '../recordings.ts'
import {
  beginTurn,
  endTurn,
  type Fields,
  head,
  item,
  line,
  note,
  readLines,
  stateOf,
  threadId,
} from './made-lines.ts'

const start = (id: string, fields: Fields = {}) => ({
  method: 'thread/started',
  params: { thread: { id, ...fields } },
})
const usage = (thread: string, total: number, last: number) =>
  note('thread/tokenUsage/updated', {
    threadId: thread,
    tokenUsage: { total: { totalTokens: total, inputTokens: total }, last: { inputTokens: last } },
  })
const text = (thread: string, id: string) =>
  note('item/completed', {
    threadId: thread,
    turnId: id,
    item: { type: 'agentMessage', id: `m-${id}`, text: id },
  })

/** A turn of a thread, whose text and total of tokens are given. */
const turn = (thread: string, id: string, total: number) => [
  note('turn/started', { threadId: thread, turn: { id } }),
  text(thread, id),
  usage(thread, total, 10),
  note('turn/completed', { threadId: thread, turn: { id, status: 'completed' } }),
]
const base = [start(threadId), ...turn(threadId, 'one', 10)]

function textsOfBranches(state: SessionConversationState): readonly (readonly string[])[] {
  return branches(state).map(({ blocks }) => textsOf({ blocks, usage: [] }))
}

function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const [item] = items.slice(from, from + 1)
  const others = items.filter((_, at) => at !== from)
  return item === undefined ? items : [...others.slice(0, to), item, ...others.slice(to)]
}

describe('messages of a thread before its start', () => {
  const fork = [usage('fork', 10, 10), ...turn('fork', 'two', 20)]
  const places = fork.map((_, at) => at)
  const read = (...messages: readonly unknown[]) => readLines(...base, ...messages)

  it.each([...places, fork.length])('belong to main, which goes on as a fork: %i of them', (at) => {
    const forked = start('fork', { forkedFromId: threadId })
    const { state, issues } = read(...moved([forked, ...fork], 0, at))
    expect(textsOf(state)).toEqual(['one', 'two'])
    expect(state.subagents).toEqual([])
    expect(sessionStatus(state)).toBe('finished')
    expect(sumUsage(state.usage).final.inputTokens).toBe(20)
    expect(state.session.id).toBe('fork')
    expect(issues).toEqual([])
  })

  it.each([...places, undefined])('belong to another session otherwise: %s of them', (at) => {
    const messages = at === undefined ? fork : moved([start('fork'), ...fork], 0, at)
    const { state, issues } = read(...messages)
    expect(textsOf(state)).toEqual(['one'])
    expect(state.subagents).toEqual([])
    expect(issues.map(({ code }) => code)).toContain('other-session')
  })

  it.each([0, 1, 2, 3, 4, 5])('belong to the agent of a call: %i of them', (at) => {
    const child = [usage('x', 10, 10), ...turn('x', 'report', 20)]
    const fields = { type: 'collabAgentToolCall', id: 'call', tool: 'spawnAgent', status: 'completed' }
    const spawn = item({ ...fields, receiverThreadIds: ['x'] })
    const { state, issues } = readLines(...beginTurn, ...moved([spawn, ...child], 0, at), endTurn())
    expect(state.subagents).toMatchObject([{ toolUseId: 'call', agentId: 'x', status: 'success' }])
    expect(state.subagents.map(textsOf)).toEqual([['report']])
    expect(state.subagents.map((agent) => sumUsage(agent.usage).final.inputTokens)).toEqual([20])
    expect(issues).toEqual([])
  })

  it.each([0, 1, 2, 3, 4, 5])('belong to an agent that only its parent is known of: %i of them', (at) => {
    const child = [usage('x', 10, 10), ...turn('x', 'report', 20)]
    const messages = moved([start('x', { parentThreadId: threadId }), ...child], 0, at)
    const { state, issues } = readLines(...beginTurn, ...messages, endTurn())
    expect(state.subagents).toMatchObject([{ agentId: 'x', parentConversationId: 'main', status: 'success' }])
    expect(state.subagents.map(textsOf)).toEqual([['report']])
    expect(state.subagents.map((agent) => sumUsage(agent.usage).final.inputTokens)).toEqual([20])
    expect(issues.map(({ code }) => code)).toEqual(['unplaced-message'])
  })
})

describe('a person who goes back from a fork', () => {
  const forked = start('fork', { forkedFromId: threadId })
  const back = [...base, forked, ...turn('fork', 'two', 20), ...turn(threadId, 'three', 20)]

  it('goes on with the conversation before it, and its turns are a branch', () => {
    const { state, issues } = readLines(...back)
    expect(textsOf(state)).toEqual(['one', 'three'])
    expect(textsOfBranches(state)).toEqual([['two']])
    expect(sumUsage(state.usage).final.inputTokens).toBe(30)
    expect(state.session.id).toBe(threadId)
    expect(issues).toEqual([])
  })

  it('makes the fork another session', () => {
    const { state, issues } = readLines(...back, ...turn('fork', 'four', 30))
    expect(textsOf(state)).toEqual(['one', 'three'])
    expect(issues.map(({ code }) => code)).toContain('other-session')
  })

  it('may go back from the fork of a fork', () => {
    const second = [start('second', { forkedFromId: 'fork' }), ...turn('second', 'three', 30)]
    const messages = [...base, forked, ...turn('fork', 'two', 20), ...second]
    const toFork = readLines(...messages, ...turn('fork', 'four', 30)).state
    const toBase = readLines(...messages, ...turn(threadId, 'four', 20)).state
    expect([textsOf(toFork), textsOfBranches(toFork)]).toEqual([['one', 'two', 'four'], [['three']]])
    expect([textsOf(toBase), textsOfBranches(toBase)]).toEqual([['one', 'four'], [['two', 'three']]])
  })

  it('has not done so if a client only reads the thread', () => {
    const response = { id: 7, result: { thread: { id: threadId, turns: [] } } }
    const { state } = readLines(...base, forked, response, ...turn('fork', 'two', 20), response)
    expect(textsOf(state)).toEqual(['one', 'two'])
    expect(state.session.id).toBe('fork')
  })
})

describe('the tokens of a thread', () => {
  it('count from a lower total in a new turn, as after a migration without the turns that were taken back', () => {
    const prompt = (id: string) => item({ type: 'userMessage', id, content: [{ type: 'text', text: id }] })
    const messages = [...base, prompt('u'), ...turn(threadId, 'two', 20), usage(threadId, 10, 10)]
    const { state } = readLines(...messages, prompt('v'), ...turn(threadId, 'three', 20))
    expect(sumUsage(state.usage).final.inputTokens).toBe(30)
  })

  it('show a full context if a request does not fit, until the next reply', () => {
    const counts = { totalTokens: 258_400, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
    const full = note('thread/tokenUsage/updated', { tokenUsage: { total: counts, last: counts } })
    const failed = [...base, note('turn/started', { turn: { id: 'two' } }), full, endTurn('failed', 'two')]
    const states = [base, failed, [...failed, ...turn(threadId, 'three', 258_410)]].map(
      (messages) => readLines(...messages).state,
    )
    expect(states.map((state) => contextTokens(state))).toEqual([10, 258_400, 10])
    expect(states.map((state) => sumUsage(state.usage).final.inputTokens)).toEqual([10, 10, 20])
  })

  it('do not count again if the messages come again', () => {
    const messages = [...base, ...turn(threadId, 'two', 20), ...turn(threadId, 'three', 30)]
    for (const at of messages.keys()) {
      const { state } = readLines(...messages, ...messages.slice(at), ...turn(threadId, 'four', 40))
      expect(sumUsage(state.usage).final.inputTokens).toBe(40)
    }
  })
})

describe('a review', () => {
  const entered = { type: 'enteredReviewMode', id: 'begin', review: 'current changes' }
  const exited = { type: 'exitedReviewMode', id: 'end', review: 'Fine.' }
  const inside = [
    item({ type: 'userMessage', id: 'u', content: [{ type: 'text', text: 'Review it.' }] }),
    item({ type: 'commandExecution', id: 'c', command: 'ls', status: 'completed', aggregatedOutput: 'a' }),
    item({ type: 'agentMessage', id: 'json', text: '' }, 'item/started'),
    note('item/agentMessage/delta', { itemId: 'json', delta: '{}' }),
  ]

  it('keeps the items of its agent out of main, and reports them', () => {
    const messages = [
      item(entered),
      ...inside,
      item(exited),
      item({ type: 'agentMessage', id: 'a', text: 'Fine.' }),
    ]
    const { state, issues } = readLines(...beginTurn, ...messages, endTurn())
    expect(state.blocks.map(({ id }) => id)).toEqual(['begin', 'end', 'a'])
    expect(issues).toMatchObject([{ code: 'unplaced-message', messageType: 'review', count: 3 }])
  })

  it('ends with its turn', () => {
    const next = item({ type: 'agentMessage', id: 'a', text: 'Go on.' })
    const { state } = readLines(...beginTurn, item(entered), endTurn('interrupted'), next)
    expect(textsOf(state)).toEqual(['Go on.'])
  })

  it('has the same words live and stored', () => {
    const path = '/srv/demo/a.js'
    const finding = (title: string) => ({
      title,
      body: 'Look.\nAgain.',
      code_location: { absolute_file_path: path, line_range: { start: 1, end: 2 } },
    })
    const words = (...titles: readonly string[]) => {
      const output = { overall_explanation: 'Wrong.', findings: titles.map(finding) }
      const { state } = readLines(
        ...beginTurn,
        item({ type: 'ExitedReviewMode', id: 'end', review_output: output }),
      )
      return ofType(state, 'system')[0]?.message
    }
    expect(words()).toBe('Wrong.')
    expect(words('One')).toBe(`Wrong.\n\nReview comment:\n\n- One — ${path}:1-2\n  Look.\n  Again.`)
    expect(words('One', 'Two')).toContain('Full review comments:')
  })
})

const tokens = (input: number, output: number): Fields => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
})
const count = (last: Fields, total: Fields) =>
  line('event_msg', { type: 'token_count', info: { last_token_usage: last, total_token_usage: total } })

const usageOf = (lines: readonly Fields[]) => {
  return stateOf([head, ...lines]).usage.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])
}

// A report was not written, so its tokens are in the next total alone.
it('counts the tokens that the total of the thread has and the last reply lacks', () => {
  const first = count(tokens(10, 1), tokens(10, 1))
  expect(usageOf([first, count(tokens(20, 2), tokens(60, 8))])).toEqual([
    [10, 1],
    [50, 7],
  ])
  expect(usageOf([first, count(tokens(20, 2), tokens(30, 3))])).toEqual([
    [10, 1],
    [20, 2],
  ])
})

it('does not count the tokens of the thread that a fork goes on from', () => {
  const first = count(tokens(10, 1), tokens(500, 50))
  expect(usageOf([first, count(tokens(20, 2), tokens(560, 60))])).toEqual([
    [10, 1],
    [20, 2],
  ])
})
