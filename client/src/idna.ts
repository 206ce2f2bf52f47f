/** Whether a label that begins with xn-- stands for a name; the host looks closer. */
export const isALabel = (label: string): boolean => label.length > 4;
