import { it } from 'vitest'
import { isThorough } from '../depth.ts'
import { inputs } from './inputs.ts'
import { checkRecording } from './source-law.ts'

const checked = inputs.filter(({ name }) => isThorough || !name.includes(', late '))

it.each(checked)('$name: obeys the laws of a source', ({ source, messages }) => {
  checkRecording(source, messages)
})
