/** Interface of the rotation of keys. */

/** Rotates keys, for the operator's commands. A stopped rotation can run again. */
export interface VaultAdministration {
  /**
   * Wraps every data key with the current master key. The embedded service first creates a new master key, and deletes the old one when
   * nothing needs it. With FERRULE_MASTER_KEY the setting is the new key, and FERRULE_MASTER_KEY_PREVIOUS holds the old one.
   * @returns the number of wrapped data keys
   */
  rotateMasterKey(): Promise<{ readonly rewrapped: number }>
  /** Gives every workspace a new data key and encrypts all credentials with it. @returns the number of encrypted credentials */
  rotateDataKeys(): Promise<{ readonly resealed: number }>
}
