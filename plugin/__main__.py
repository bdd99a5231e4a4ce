from tpuserve.provider.main import main

main()
