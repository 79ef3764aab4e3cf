import { expect, it } from 'vitest'
import { OwnedList } from '../../../../src/core/reducer/owned-list.ts'
import {
  createInitialConversationState,
  reduceSessionEvent,
  type SessionConversationState,
  type SubagentState,
} from '../../../../src/entries/index.ts'

const LENGTH = 4_000

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
  expect(asked()).toBeLessThan(100 * LENGTH)
})

it('finds the last of equal ids, and after its removal the one before it', () => {
  const { list } = counted(['b0', 'b7', ...unique])
  for (const id of unique) list.find(id)
  for (const at of [2, 0]) {
    expect(list.find('b0')?.index).toBe(at)
    list.remove(at)
  }
  expect(list.find('b0')).toBeUndefined()
  expect(list.items.slice(0, 2)).toEqual([{ id: 'b7' }, { id: 'b1' }])
  expect(list.find('b7')?.index).toBe(7)
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
  expect(asked()).toBeLessThan(200 * LENGTH)
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

it('asks few agents for their parent when agents start one by one', () => {
  let asked = 0
  const subagents = unique.map(
    (toolUseId): SubagentState => ({
      toolUseId,
      status: 'running',
      blocks: [],
      usage: [],
      get parentConversationId() {
        asked += 1
        return 'main'
      },
    }),
  )
  let state: SessionConversationState = { ...createInitialConversationState(), subagents }
  for (let at = 0; at < 100; at += 1)
    state = reduceSessionEvent(state, {
      type: 'subagent:spawned',
      toolUseId: `c${at}`,
      agentId: `a${at}`,
      prompt: '',
    })
  expect(state.subagents).toHaveLength(LENGTH + 100)
  expect(asked).toBeLessThan(3 * LENGTH)
})

it('puts a place that comes late into the order of its group', () => {
  const groupOf = ({ group }: { id: string; group: string }) => group
  const items = unique.map((id, at) => ({ id, group: at % 3 === 0 ? 'a' : 'b' }))
  const list = new OwnedList(items, ({ id }: { id: string }) => id)
  expect(list.inGroup(groupOf, 'a')).toHaveLength(Math.ceil(LENGTH / 3))
  const moved = [LENGTH - 2, 1, 2, 2_000]
  for (const at of moved) list.replace(at, { id: `b${at}`, group: 'a' })
  const expected = items.flatMap(({ group }, at) => (group === 'a' || moved.includes(at) ? [at] : []))
  expect(list.inGroup(groupOf, 'a').map(({ index }) => index)).toEqual(expected)
})
