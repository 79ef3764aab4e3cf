import { it } from 'vitest'
import { isThorough } from '../depth.ts'
import { inputs } from './inputs.ts'
import { checkRecording } from './source-law.ts'

/** The recordings of a program begin alike, so `npm test` checks one of three. */
const checked = inputs.filter(({ name }, at) => isThorough || (at % 3 === 0 && !name.includes(', late ')))

it.each(checked)('$name: obeys the laws of a source', ({ source, messages }) => {
  checkRecording(source, messages)
})
