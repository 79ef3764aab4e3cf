import { inputs, type RecordedInput } from '../inputs.ts'

/** All recordings, without a list of line types by their owners: all ids there are the same, so it is no session. */
export const sessions: readonly RecordedInput[] = inputs.filter(
  ({ name }) => !name.includes('40-all-line-types'),
)
