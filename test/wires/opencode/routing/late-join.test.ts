import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../depth.ts'
import { textsOf, threadsOf } from '../../recordings.ts'
import { main } from '../messages.ts'
import { recordings, replay } from '../recordings.ts'

it('a late client shows every whole text from then on, wherever it joins', () => {
  fc.assert(
    fc.property(fc.constantFrom(...recordings), fc.nat(), ({ events, mainSession }, place) => {
      const lines = events.trimEnd().split('\n')
      const later = lines.slice(place % lines.length)
      fc.pre(later.some((line) => line.includes('"session')))
      const { state } = replay([JSON.stringify(main.event('server.connected')), ...later].join('\n'))
      fc.pre(state.session.id === mainSession)
      const texts = finalTextsIn(later)
      expect(threadsOf(state).flatMap(textsOf)).toEqual(expect.arrayContaining([...texts]))
    }),
    { numRuns: runs(30) },
  )
})

/** The whole texts of the model in the lines. */
function finalTextsIn(lines: readonly string[]): ReadonlySet<string> {
  const found = lines.flatMap((line) => {
    const { part } = JSON.parse(line).properties
    return part?.type === 'text' && part.time?.end !== undefined ? [String(part.text)] : []
  })
  return new Set(found.filter((text) => !text.startsWith('SUMMARY')))
}
