import { asArray, asObject } from '../../json/values.ts'

/** Whether the output of a call, as the model reads it, has an image. */
export function hasImage(output: unknown): boolean {
  return asArray(output).some((part) => asObject(part).image_url)
}
