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
  | { readonly kind: 'finish'; readonly back: number | undefined }
  | { readonly kind: 'find' | 'remove' | 'rename' | 'edit' | 'insert' | 'group'; readonly place: number }

/** Mostly searches and appends. The lists get long, so that an index is built and has to stay right. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      back: fc.option(fc.nat(9), { nil: undefined }),
    }),
  },
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

// A list that no reducer made may have an id twice. Batches go on from a list of an earlier one too.
it('finds the same items as a plain list after any changes, in any batches', () => {
  fc.assert(
    fc.property(
      fc.nat(80),
      fc.integer({ min: 30, max: 90 }),
      fc.array(step, { maxLength: 300, size: 'max' }),
      (length, ids, steps) => {
        // A state of the user's may hold items that are not frozen.
        const base: readonly Item[] = Array.from({ length }, (_, at) => ({ id: `base${at % ids}`, text: '' }))
        const versions = [{ items: base, model: base }]
        let list = new OwnedList(base, idOf)
        let model = [...base]
        for (const [at, next] of steps.entries()) {
          if (next.kind !== 'finish') apply(next, { at, list, model })
          else {
            versions.push({ items: list.finish(), model })
            const { items, model: known } = versions[next.back ?? versions.length - 1] ?? {
              items: base,
              model: base,
            }
            list = new OwnedList(items, idOf)
            model = [...known]
          }
        }
        expectGroups(list, model)
        expect(list.finish()).toEqual(model)
        for (const item of list.items) expect(Object.isFrozen(item)).toBe(!base.includes(item))
        // Reading all items has closed the gaps, and the places are still right.
        expectGroups(list, model)
        for (const { id } of model) expect(list.find(id)?.index).toBe(lastPlace(model, id))
        expect(list.find('nobody')).toBeUndefined()
        for (const { items, model: known } of versions) expect(items).toEqual(known)
      },
    ),
    { numRuns: runs(200) },
  )
})

const idOf = ({ id }: Item): string => id
const lastPlace = (model: readonly Item[], id: string | undefined) =>
  model.findLastIndex((item) => item.id === id)

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
  step: Exclude<Step, { readonly kind: 'finish' }>,
  { at, list, model }: { readonly at: number; readonly list: OwnedList<Item>; readonly model: Item[] },
): void {
  const item = { id: `new${at}`, text: '' }
  if (step.kind === 'append') {
    list.append({ ...item })
    model.push(item)
    return
  }
  const place = lastPlace(model, model[step.place % Math.max(1, model.length)]?.id)
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
