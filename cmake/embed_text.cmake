# cmake -DOUT=file -DPATTERN=dir/*.md -P embed_text.cmake: writes {"<stem>", R"PAGE(<content>)PAGE"}, rows.
# Long files are cut into pieces: a string literal may not be of any length.
set(text "")
file(GLOB FILES ${PATTERN})  # sorted
foreach(file IN LISTS FILES)
  get_filename_component(stem ${file} NAME_WE)
  file(READ ${file} content)
  string(LENGTH "${content}" left)
  set(start 0)
  set(literals "")
  while(left GREATER 0)
    string(SUBSTRING "${content}" ${start} 8000 piece)
    string(APPEND literals " R\"PAGE(${piece})PAGE\"")
    math(EXPR start "${start} + 8000")
    math(EXPR left "${left} - 8000")
  endwhile()
  string(APPEND text "{\"${stem}\",${literals}},\n")
endforeach()
file(WRITE ${OUT} "${text}")
