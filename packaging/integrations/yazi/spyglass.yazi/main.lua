--- Previews images with Spyglass, as text: copy the folder to ~/.config/yazi/plugins/spyglass.yazi.
local M = {}

function M:peek(job)
  local output = Command("spyglass")
    :arg({ "show", "--color", "truecolor", "--cells", string.format("%dx%d", job.area.w, job.area.h), "--", tostring(job.file.url) })
    :stdout(Command.PIPED)
    :stderr(Command.PIPED)
    :output()
  local text = "spyglass is not installed"
  if output then
    -- Damaged files have both: what could be decoded, and a message.
    text = output.stdout .. output.stderr
  end
  ya.preview_widget(job, ui.Text.parse(text):area(job.area))
end

function M:seek() end

return M
