import { asArray, asObject } from '../../core/json/values.ts'

/** Whether the output of a call has an image: as the model reads it, or as a block shows it. */
export function hasImage(output: unknown): boolean {
  return asArray(output)
    .map(asObject)
    .some(({ image_url, type }) => image_url || type === 'image')
}
