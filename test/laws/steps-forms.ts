import type { StepWire } from '../../src/programs/program.ts'
import { combineFiles } from '../../src/reading/input/transcript-files.ts'
import { formatOf } from '../../src/wires/all.ts'
import { isStepWire, STEP_SOURCES } from '../../src/wires/step-sources.ts'
import type { FormsOf } from './recordings.ts'

/** Returns the stored session of a program whose wire has its name, and its stream. Files of lines are found as the format finds them. */
export const stepsForms: FormsOf = (files, { program, forms }) => {
  const [architecture] = STEP_WIRES.filter((name) => name === program)
  if (architecture === undefined) throw new RangeError(`no wire of whole messages: ${program}`)
  const paths = Object.keys(files).filter((path) => path.startsWith('store/'))
  const [only = ''] = paths
  const { isPart, transcripts } = formatOf(architecture).files
  const own = Object.fromEntries(paths.filter(isPart).map((path) => [path, files[path] ?? '']))
  // One file of rows or of text is the session.
  const isOneFile = paths.length === 1
  const raw = isOneFile ? (files[only] ?? '') : combineFiles(own, transcripts)
  // The output of some programs is the last answer alone.
  const stream = forms.stream && files['stream.ndjson']
  return [
    { form: 'store', architecture, raw },
    ...(stream === undefined ? [] : [{ form: 'stream', architecture, raw: stream }]),
  ]
}

/** The wires of files of whole messages. A program of such a wire has its name. */
export const STEP_WIRES: readonly StepWire[] = Object.keys(STEP_SOURCES).filter(isStepWire)
