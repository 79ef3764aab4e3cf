import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  reduceSessionEvent,
  reduceSessionEvents,
  type SessionConversationState,
  type SessionEvent,
} from '../../../../src/entries/index.ts'
import { delta, fold, remove, spawn, text, upsert } from '../example.ts'

/** A place picks one of the state's blocks. There are many more blocks than a search of the tail compares. */
type Change =
  | { readonly kind: 'append' }
  | { readonly kind: 'delta' | 'rewrite' | 'remove' | 'miss'; readonly place: number }

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('append' as const) }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'delta' as const,
        'delta' as const,
        'rewrite' as const,
        'remove' as const,
        'miss' as const,
      ),
      place: fc.nat(200),
    }),
  },
)

/** How many versions before the newest one a batch starts: usually none. */
const back = fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(6) })
const batch = fc.record({ back, changes: fc.array(change, { minLength: 1, maxLength: 4 }) })

// A batch uses the search cache of earlier batches, and that must not change the result. A cloned state has no cache.
it.each([
  { place: 'main', repeated: 0 },
  { place: 'S', repeated: 0 },
  // No reducer makes such a state, but a snapshot may hold it.
  { place: 'main', repeated: 3 },
])(
  'a batch gives the same result with and without the cache: $place, $repeated ids twice',
  ({ place, repeated }) => {
    const long = Array.from({ length: 60 }, (_, at) => upsert(text(`b${at}`, { status: 'pending' }), place))
    const folded = fold(spawn('S'), ...long)
    const twice = folded.blocks.slice(5, 5 + repeated)
    const start: SessionConversationState = { ...folded, blocks: [...twice, ...folded.blocks] }
    fc.assert(
      fc.property(fc.array(batch, { minLength: 10, maxLength: 60, size: 'max' }), (batches) => {
        const versions = [start]
        for (const [at, { back: steps, changes }] of batches.entries()) {
          const from = versions[Math.max(0, versions.length - 1 - steps)] ?? start
          const blocks = place === 'main' ? from.blocks : (from.subagents[0]?.blocks ?? [])
          const ids = blocks.map(({ id }) => id)
          const events = changes.map((each, index) => eventOf(each, { ids, place, fresh: `n${at}-${index}` }))
          const [only, ...others] = events
          const after =
            only && others.length === 0 ? reduceSessionEvent(from, only) : reduceSessionEvents(from, events)
          expect(after).toStrictEqual(reduceSessionEvents(structuredClone(from), events))
          versions.push(after)
        }
      }),
      { numRuns: 100 },
    )
  },
)

function eventOf(
  change: Change,
  { ids, place, fresh }: { readonly ids: readonly string[]; readonly place: string; readonly fresh: string },
): SessionEvent {
  if (change.kind === 'append') return upsert(text(fresh, { status: 'pending' }), place)
  const id = ids[change.place % Math.max(1, ids.length)] ?? 'none'
  switch (change.kind) {
    case 'delta':
      return delta(id, 'y', place)
    case 'rewrite':
      return upsert(text(id, { status: 'complete' }), place)
    case 'remove':
      return remove(id, place)
    case 'miss':
      return delta(`${id}?`, 'y', place)
  }
}
