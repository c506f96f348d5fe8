interface CheckFieldProps {
  label: string;
  checked: boolean;
  onChecked: (checked: boolean) => void;
}

/** Yes or no. */
export function CheckField({ label, checked, onChecked }: CheckFieldProps) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}
