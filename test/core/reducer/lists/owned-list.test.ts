import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OwnedList } from '../../../../src/core/reducer/owned-list.ts'
import { runs } from '../../../depth.ts'

interface Item {
  readonly id: string
  readonly text: string
}

type Step =
  | { readonly kind: 'append' }
  | { readonly kind: 'find' | 'remove' | 'rename' | 'edit' | 'insert' | 'group'; readonly place: number }

/** Mostly searches and appends. The lists get long, so that an index is built and has to stay right. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'find' as const,
        'find' as const,
        'remove' as const,
        'rename' as const,
        'edit' as const,
        'insert' as const,
        'group' as const,
      ),
      place: fc.nat(1000),
    }),
  },
)

it('finds the same items as a plain list after appends, renames, edits and removals', () => {
  fc.assert(
    fc.property(fc.nat(80), fc.array(step, { maxLength: 300, size: 'max' }), (length, steps) => {
      const base: readonly Item[] = Array.from({ length }, (_, at) =>
        // A state of the user's may hold items that are not frozen.
        ({ id: `base${at}`, text: '' }),
      )
      const list = new OwnedList(base, (item) => item.id)
      const model = [...base]
      for (const [at, next] of steps.entries()) apply(next, { at, list, model })
      expectGroups(list, model)
      expect(list.finish()).toEqual(model)
      for (const item of list.items) expect(Object.isFrozen(item)).toBe(!base.includes(item))
      // Reading all items has closed the gaps, and the places are still right.
      expectGroups(list, model)
      for (const [at, item] of model.entries()) expect(list.find(item.id)?.index).toBe(at)
      expect(list.find('nobody')).toBeUndefined()
    }),
    { numRuns: runs(200) },
  )
})

// An edit changes the group of an item.
const evenGroup = ({ text }: Item) => (text.length % 2 === 0 ? 'even' : undefined)
const lengthGroup = ({ text }: Item) => `${text.length}`

function expectGroups(list: OwnedList<Item>, model: readonly Item[]): void {
  for (const [groupOf, group] of [
    [evenGroup, 'even'],
    [lengthGroup, '1'],
  ] as const) {
    const expected = model.filter((item) => groupOf(item) === group)
    expect(list.inGroup(groupOf, group).map(({ item }) => item)).toEqual(expected)
    expect([...list.fromEnd(groupOf, group)]).toEqual(expected.toReversed())
  }
  expect([...list.fromEnd()]).toEqual(model.toReversed())
}

function apply(
  step: Step,
  { at, list, model }: { readonly at: number; readonly list: OwnedList<Item>; readonly model: Item[] },
): void {
  const item = { id: `new${at}`, text: '' }
  if (step.kind === 'append') {
    list.append({ ...item })
    model.push(item)
    return
  }
  const place = step.place % Math.max(1, model.length)
  const before = model[place]
  const found = before && list.find(before.id)
  expect(found?.item).toEqual(before)
  if (!before || !found || step.kind === 'find') return
  if (step.kind === 'group') return expectGroups(list, model)
  if (step.kind === 'remove') {
    list.remove(found.index)
    model.splice(place, 1)
  } else if (step.kind === 'insert') {
    list.insert(found.index, { ...item })
    model.splice(place, 0, item)
  } else if (step.kind === 'rename') {
    list.replace(found.index, { ...item })
    model[place] = item
  } else {
    list.edit(found).text += 'x'
    model[place] = { ...before, text: `${before.text}x` }
  }
}
