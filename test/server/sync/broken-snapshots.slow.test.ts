import { it } from 'vitest'
import { expectUsable } from './spoiled-snapshots.ts'

it('any JSON can be folded and read if it is restored, even if its parts contradict each other', () => {
  expectUsable(1000)
})
