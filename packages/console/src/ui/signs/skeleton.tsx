import styles from './skeleton.module.css'

/** The shape of what is still to come. */
export function Skeleton({ lines = 3, height }: { lines?: number; height?: string }) {
  return (
    <div role="status" aria-label="Loading" className={styles.skeleton}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <span key={index} style={height === undefined ? undefined : { height }} />
      ))}
    </div>
  )
}
