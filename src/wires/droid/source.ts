import { droid } from '../../programs/droid/program.ts'
import type { Source } from '../../reading/source.ts'
import { stepSource } from '../kit/steps/step-source.ts'
import { readLine } from './read.ts'

/** Reads a session of Factory Droid: `<session>.jsonl`, its settings, the files of its agents, and the stream of `exec`. */
export const droidSource: Source = /* @__PURE__ */ stepSource({
  name: 'droid',
  program: droid.names[0],
  read: readLine,
})
