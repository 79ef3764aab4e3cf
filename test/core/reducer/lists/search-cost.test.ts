import { expect, it } from 'vitest'
import { Batch } from '../../../../src/core/reducer/batch.ts'
import { OwnedList } from '../../../../src/core/reducer/owned-list.ts'
import {
  type ConversationBlock,
  createInitialConversationState,
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SubagentState,
} from '../../../../src/entries/index.ts'
import { delta, spawn, toolUse, upsert, usage } from '../example.ts'

const LENGTH = 400

/** A list that counts the reads of its items' ids. */
function counted(ids: readonly string[]): { readonly list: OwnedList<{ id: string }>; asked: () => number } {
  let asked = 0
  const idOf = ({ id }: { id: string }): string => {
    asked += 1
    return id
  }
  const base = ids.map((id) => ({ id }))
  return { list: new OwnedList(base, idOf), asked: () => asked }
}

const unique = Array.from({ length: LENGTH }, (_, at) => `b${at}`)

it('compares few items for each search, even if two ids of a foreign list are equal', () => {
  const { list, asked } = counted(['b0', ...unique])
  for (const [at, id] of unique.entries()) expect(list.find(id)?.index).toBe(at + 1)
  expect(asked()).toBeLessThan(30 * LENGTH)
})

it('walks once to an item that removals have moved', () => {
  const { list, asked } = counted(unique)
  for (const id of unique) list.find(id)
  for (let at = 0; at < 50; at += 1) list.remove(LENGTH - 60)
  const before = asked()
  for (let at = 0; at < 100; at += 1) expect(list.find(`b${LENGTH - 2}`)?.index).toBe(LENGTH - 52)
  expect(asked() - before).toBeLessThan(LENGTH)
})

const EVERY_OTHER = unique.filter((_, at) => at % 2 === 0)
const OTHERS = unique.filter((_, at) => at % 2 === 1)

it.each([
  ['all removals first', [...EVERY_OTHER.map((gone) => ({ gone })), ...OTHERS.map((found) => ({ found }))]],
  ['a search after each', EVERY_OTHER.flatMap((gone, at) => [{ gone }, { found: OTHERS.at(-at) ?? '' }])],
  ['each searched and appended again', EVERY_OTHER.map((gone) => ({ gone, again: true }))],
])('compares few items in all when many are removed: %s', (_, steps: readonly Step[]) => {
  const { list, asked } = counted(unique)
  for (const step of steps) take(list, step)
  expect(asked()).toBeLessThan(12 * LENGTH)
})

interface Step {
  readonly gone?: string
  readonly found?: string
  readonly again?: boolean
}

function take(list: OwnedList<{ id: string }>, { gone, found, again }: Step): void {
  if (found !== undefined) expect(list.find(found)?.item.id).toBe(found)
  if (gone === undefined) return
  list.remove(list.find(gone)?.index ?? -1)
  expect(list.find(gone)).toBeUndefined()
  if (again) list.append({ id: gone })
}

it('compares few blocks when deltas for early blocks and for the last one are a batch each', () => {
  let asked = 0
  const blocks = unique.map(
    (id): ConversationBlock => ({
      type: 'thinking',
      status: 'pending',
      content: '',
      conversationId: 'main',
      get id() {
        asked += 1
        return id
      },
    }),
  )
  let state: SessionConversationState = { ...createInitialConversationState(), blocks }
  for (const id of unique.slice(0, 100))
    for (const blockId of [id, `b${LENGTH - 1}`]) state = reduceSessionEvent(state, delta(blockId, 'x'))
  expect(state.blocks.filter((block) => 'content' in block && block.content === 'x')).toHaveLength(100)
  expect(asked).toBeLessThan(14 * LENGTH)
})

/** Agents, and how often somebody has asked one of them for a field. */
function countedAgents(field: 'blocks' | 'parentConversationId', value: unknown) {
  const counts = { asked: 0 }
  const get = () => {
    counts.asked += 1
    return value
  }
  const agents = unique.map((toolUseId): SubagentState => {
    const agent: SubagentState = { toolUseId, status: 'running', blocks: [], usage: [] }
    return Object.defineProperty(agent, field, { enumerable: true, get })
  })
  const state: SessionConversationState = { ...createInitialConversationState(), subagents: agents }
  return { state, counts }
}

it('asks few agents for their parent when agents start one by one', () => {
  const { state: before, counts } = countedAgents('parentConversationId', 'main')
  let state = before
  for (let at = 0; at < 100; at += 1)
    state = reduceSessionEvent(state, spawn(`c${at}`, { agentId: `a${at}` }))
  expect(state.subagents).toHaveLength(LENGTH + 100)
  expect(counts.asked).toBeLessThan(2 * LENGTH)
})

it('reads the blocks of an agent once for all questions about calls, whatever the batches change', () => {
  const { state: before, counts } = countedAgents('blocks', [])
  let state = before
  for (const [at, id] of unique.slice(0, 50).entries()) {
    const batch = new Batch(state)
    const owner = batch.conversationWith([`c${at - 1}`, `subagent:c${at - 1}`], Boolean)
    expect(owner).toBe(at === 0 ? undefined : `b${at - 1}`)
    state = reduceSessionEvents(batch.finish(), [
      usage('m', at, { conversationId: id }),
      upsert(toolUse(`c${at}`), id),
    ])
    state = reduceSessionEvents(state, [usage('m', at), usage('n', at, { conversationId: id })])
    state = reduceSessionEvents(state, [usage('o', at)])
  }
  expect(counts.asked).toBeLessThan(2 * LENGTH)
})

it('asks an item for its group once, and again after a change of the item alone', () => {
  let asked = 0
  const groupOf = ({ group }: { id: string; group: string }) => {
    asked += 1
    return group
  }
  const idOf = ({ id }: { id: string }) => id
  const list = new OwnedList(
    unique.map((id) => ({ id, group: 'a' })),
    idOf,
  )
  const has = (count: number) => expect(list.inGroup(groupOf, 'a')).toHaveLength(count)
  has(LENGTH)
  list.edit({ index: 5, item: list.items[5] ?? { id: '', group: '' } }).group = 'b'
  has(LENGTH - 1)
  list.replace(6, { id: 'b6', group: 'b' })
  list.append({ id: 'new', group: 'a' })
  list.insert(LENGTH, { id: 'newer', group: 'a' })
  list.remove(LENGTH - 1)
  has(LENGTH - 1)
  const next = new OwnedList(list.finish(), idOf)
  expect(next.inGroup(groupOf, 'b').map(({ index }) => index)).toEqual([5, 6])
  expect([...next.fromEnd(groupOf, 'b')].map(({ id }) => id)).toEqual(['b6', 'b5'])
  expect(asked).toBeLessThan(1.1 * LENGTH)
  // A gap far from the end is closed once, and then all places are new.
  next.remove(0)
  for (let at = 0; at < 9; at += 1) expect(next.inGroup(groupOf, 'b')[0]?.item).toBe(next.items[4])
  expect(asked).toBeLessThan(3.2 * LENGTH)
})

it('closes a gap in a list that nobody has searched', () => {
  const { list } = counted(unique)
  list.remove(0)
  expect(list.items.map(({ id }) => id)).toEqual(unique.slice(1))
})

it('puts a place that comes late into the order of its group', () => {
  const groupOf = ({ group }: { id: string; group: string }) => group
  const items = unique.map((id, at) => ({ id, group: at % 3 === 0 ? 'a' : 'b' }))
  const list = new OwnedList(items, ({ id }: { id: string }) => id)
  expect(list.inGroup(groupOf, 'a')).toHaveLength(Math.ceil(LENGTH / 3))
  const moved = [LENGTH - 2, 1, 2, LENGTH / 2]
  for (const at of moved) list.replace(at, { id: `b${at}`, group: 'a' })
  const expected = items.flatMap(({ group }, at) => (group === 'a' || moved.includes(at) ? [at] : []))
  expect(list.inGroup(groupOf, 'a').map(({ index }) => index)).toEqual(expected)
})
